"""Log lines are JSON, and carry no credentials."""

import io
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.logs import MASK, configure, redacted, structlog


@pytest.fixture
def lines() -> io.StringIO:
    stream = io.StringIO()
    root = logging.getLogger()
    before = root.handlers[:], root.level
    configure("info", stream)
    yield stream
    root.handlers[:], level = before
    root.setLevel(level)
    structlog.reset_defaults()


def read(lines: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_an_event_is_one_json_line_with_its_context(lines: io.StringIO) -> None:
    structlog.contextvars.bind_contextvars(request_id="r1")
    structlog.stdlib.get_logger("t").info("done", count=2)
    structlog.contextvars.clear_contextvars()
    (event,) = read(lines)
    assert (event["event"], event["count"], event["request_id"]) == ("done", 2, "r1")
    assert event["level"] == "info"


def test_the_standard_library_logs_the_same_way(lines: io.StringIO) -> None:
    logging.getLogger("lib").warning("Bearer %s", "abcdefghijklmnop")
    (event,) = read(lines)
    assert event["event"] == f"Bearer {MASK}"


def test_below_the_level_nothing_is_written(lines: io.StringIO) -> None:
    structlog.stdlib.get_logger("t").debug("quiet")
    assert not lines.getvalue()


def test_a_traceback_is_text_without_local_variables(lines: io.StringIO) -> None:
    hidden = "local-value-of-a-variable"
    try:
        int(hidden[:5] * 0)
    except ValueError as error:
        structlog.stdlib.get_logger("t").error("failed", exc_info=error)
    (event,) = read(lines)
    assert "ValueError: invalid literal" in str(event["exception"])
    assert hidden not in str(event)


@pytest.mark.parametrize(
    "name", ["Authorization", "cookie", "password", "signing_secret", "api_key", "token"]
)
def test_members_with_secret_names_are_masked(name: str) -> None:
    assert redacted({"outer": [{name: "s3cr3t"}]}) == {"outer": [{name: MASK}]}


@given(st.from_regex(r"[A-Za-z0-9_-]{16,40}", fullmatch=True))
def test_credentials_inside_text_are_masked(secret: str) -> None:
    for text in (f"Bearer {secret}", f"redis://user:{secret}@host/0"):
        assert secret not in str(redacted(f"failed with {text}"))
        assert secret not in str(redacted({"note": [text]}))


def test_what_is_no_secret_stays() -> None:
    value = {"path": "/v1/bundles", "status": 200, "digest": "sha256:" + "0" * 64, "by": None}
    assert redacted(value) == value
