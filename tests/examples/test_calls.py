"""The script of HTTP calls that the README shows runs as shown, on a service started as it says."""

import os
import subprocess
import sys
from pathlib import Path

from tests.fixtures.up import StartUp

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "calls.py"


def test_the_readme_shows_the_script_as_it_is() -> None:
    shown = (ROOT / "README.md").read_text().partition("```python\n")[2].partition("```\n")[0]
    assert shown == SCRIPT.read_text().partition('"""\n\n')[2]


def test_the_script_takes_a_build_from_submission_to_admission(start_up: StartUp) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    launchers = str(ROOT / "examples" / "launchers.yaml")
    service = start_up("--launchers", launchers, PATH=path, BUNDLEGATE_CALL_TIMEOUT_S="60")
    made = subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={
            **os.environ,
            "BUNDLEGATE_URL": service.ready["url"],
            "BUNDLEGATE_TOKEN": service.token,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr + service.errors()
    said = made.stdout.splitlines()
    assert [line.rpartition(" → ")[2] for line in said if "/v1/" in line] == [
        *("201", "201", "201", "202", "200", "201", "200"),
    ]
    assert [line.split()[0] for line in said if line.startswith(("PASS", "FAIL", "INC"))] == [
        "PASS"
    ]
    assert [line.split()[2] for line in said if line.startswith("not verified")] == [
        *("authorization", "open-world-hint", "tenant-isolation"),
    ]
    assert said[-3::2] == ["SECURITY_VERIFIED → REGISTRY_ADMITTED", "replay agrees: True"]
