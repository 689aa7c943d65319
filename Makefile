# The commands a person types. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# one more than there are cores: tests wait for processes as often as they compute
JOBS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# other people's programs from npm, with a Node of their own
PEERS := .peers

.PHONY: help setup demo up test matrix test-peers check bench lock clean
help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

setup: $(STAMP) ## create the environment (.venv) from the lock file

# uv installs several times faster than pip; it reads no pip.conf, so where it cannot reach an index
# pip, which does, installs the same hashes.
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	@awk '/^[^ ]/ {on = /^uv==/} on' requirements.lock > $(VENV)/uv.lock
	$(PIP) --require-hashes --requirement $(VENV)/uv.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes --requirement requirements.lock \
		|| $(PIP) --require-hashes --requirement requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q bundles service workers bundlegate migrations
	@touch $@

demo: setup ## watch a good server get admitted and a broken one rejected
	$(BIN)/python examples/demo.py

up: setup ## run the embedded service and worker
	$(BIN)/bundlegate up

test: setup ## the whole test suite, on SQLite, PostgreSQL and a real broker
	$(BIN)/python -m pytest -n $(JOBS)

matrix: setup ## every broken server against every check, in both revisions and transports
	$(BIN)/python -m pytest -n $(JOBS) tests/servers/matrix.py

test-peers: setup $(PEERS)/.installed ## beside npm's MCP servers, the official suite, the Inspector (needs npm)
	$(BIN)/python -m pytest -n $(JOBS) tests/peers

# `npm ci` refuses the lock file where an optional package for another platform cannot be had
$(PEERS)/.installed: $(addprefix tests/peers/,package.json package-lock.json .npmrc)
	@command -v npm > /dev/null || { echo "make test-peers needs npm on the PATH" >&2; exit 1; }
	@mkdir -p $(PEERS) && cp $^ $(PEERS)
	npm install --prefix $(PEERS) --no-save --loglevel=error
	@touch $@

check: setup ## style, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: setup ## ratios against a floor or a peer, in one run
	$(BIN)/python -m tests.bench

lock: ## compile the hashed lock file after editing pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --quiet --universal --generate-hashes --group dev --no-header --no-annotate --output-file requirements.lock

clean: ## remove the environment and caches
	rm -rf $(VENV) $(PEERS) .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
