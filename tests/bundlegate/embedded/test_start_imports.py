"""A start imports what it needs: each of these would cost it, in the process that must be quick."""

import subprocess
import sys

import pytest

UNUSED = (
    *("rich", "pygments", "pydantic", "alembic", "mako", "valkey"),
    *("sqlalchemy.orm", "sqlalchemy.dialects.postgresql"),
)
LATER = ("celery", "kombu", "redis")
"""What an API imports once it serves."""
API = """
from bundlegate.embedded import api
from service.app import create_app
from service.settings import Settings
settings = Settings.from_env({"BUNDLEGATE_DATA_DIR": sys.argv[1]})
api.prepare(settings)
create_app(settings)
"""
WORKER = "import workers.__main__"
SUPERVISOR = """
from bundlegate.cli import up
from bundlegate.embedded import broker, forking, up
broker.broker_program()
forking.share()
"""


@pytest.mark.parametrize(
    ("program", "unused"),
    [(API, UNUSED + LATER), (WORKER, UNUSED), (SUPERVISOR, UNUSED + LATER)],
    ids=["api", "worker", "supervisor"],
)
def test_a_process_of_the_service_imports_nothing_that_it_does_not_use(tmp_path, program, unused):
    code = f"import sys\n{program}\nprint(*(name for name in {unused!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
