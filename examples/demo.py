"""`make demo`: a good server gets admitted and a broken one rejected, on a service of its own.

Everything goes through the public command, against an embedded service in a temporary folder that
is gone afterwards. Exit code 0 only when every verdict is what it should be.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent
WEATHER = EXAMPLES / "weather"
PROGRAM = Path(sys.executable).with_name("bundlegate")

YES, NO, NOT_YET = 0, 1, 3
ADMITTED = "REGISTRY_ADMITTED"
BROKEN_REASON = "STRUCTURED_CONTENT_MISMATCH"


def main() -> int:
    surprises: list[str] = []
    with tempfile.TemporaryDirectory(prefix="bundlegate-demo-") as temporary:
        folder = Path(temporary)
        title("An embedded service: API, worker, broker and database in one folder")
        with service(folder):
            story(surprises)
    if surprises:
        print("\nNOT AS EXPECTED:", *surprises, sep="\n  ")
        return 1
    print(
        "\nAs expected: the good build is admitted, the broken one rejected, and the strict policy"
        "\nasks for what nobody watched. `make up` keeps a service running for you."
    )
    return 0


def story(surprises: list[str]) -> None:
    def expect(what: str, seen: object, wanted: object) -> None:
        if seen != wanted:
            surprises.append(f"{what}: {seen}, expected {wanted}")

    title("Submit the contract bundle: the digest of its content is its only identity")
    pushed = asked("bundle", "push", WEATHER / "bundle")
    digest = pushed["bundle"]["digest"]
    print(f"{digest}\nverdict: {pushed['verdict']}")

    title("A policy that lets stand, shown, exactly the claims nobody watches here")
    shown("policy", "put", "demo", EXAMPLES / "policies" / "demo.json")

    title("Put two builds forward: a good one, and one that renamed an output field")
    good = register(digest, "server", "1.0.0", policy="demo")
    broken = register(digest, "renamed_output", "1.1.0", policy="demo")

    title("Verify the good one: the worker starts it, speaks to it, and judges what it saw")
    expect("verifying the good build", shown("verify", good), YES)

    title("Verify the broken one, as far as it gets")
    expect("verifying the broken build", shown("verify", broken, "--stage", "conformance"), NO)

    title("The evidence: signed, and bound to every digest that went in")
    shown("evidence", "list", "--candidate", good)

    title("The release question: may this exact build go there now?")
    expect("the gate, good build", shown("gate", "check", good, "--to", ADMITTED), YES)
    expect("the gate, broken build", shown("gate", "check", broken, "--to", ADMITTED), NO)
    reasons = asked("gate", "check", broken, "--to", ADMITTED, quiet=True)["reasons"]
    expect(f"{BROKEN_REASON} among the reasons", BROKEN_REASON in json.dumps(reasons), True)

    title("Promote the good one: the gate is asked again, at this moment")
    why = ("--from", "SECURITY_VERIFIED", "--reason", "make demo")
    expect("the promotion", shown("promote", good, "--to", ADMITTED, *why), YES)
    for candidate, state in ((good, ADMITTED), (broken, "REJECTED")):
        found = asked("candidate", "show", candidate, quiet=True)["candidate"]["state"]
        print(f"{candidate}  {found}")
        expect("the state", found, state)

    title("The same good build under the strict default policy: what nobody watched stays open")
    strict = register(digest, "server", "1.0.0-strict", policy="default")
    asked("verify", strict)
    expect("the strict gate", shown("gate", "check", strict, "--to", ADMITTED), NOT_YET)


@contextmanager
def service(folder: Path) -> Iterator[None]:
    """A service of its own, which this demo talks to and takes down again."""
    launchers = folder / "launchers.yaml"
    launchers.write_text(json.dumps(launchers_document(folder), indent=2))
    command = ("up", "--data-dir", folder / "data", "--port", 0, "--launchers", launchers)
    show_command(command)
    with subprocess.Popen(line_of(command), stdout=subprocess.PIPE, text=True) as up:
        assert up.stdout is not None
        line = up.stdout.readline()
        if not line:
            sys.exit(f"the service did not start: exit code {up.wait()}")
        ready = json.loads(line)
        print(f"ready at {ready['url']}, signing with {ready['key_id']}")
        os.environ |= {
            "BUNDLEGATE_URL": ready["url"],
            "BUNDLEGATE_TOKEN": ready["admin_token"],
        }
        try:
            yield
        finally:
            up.terminate()


def launchers_document(folder: Path) -> dict[str, Any]:
    """What an operator configures: the only commands a target may name."""
    launchers = {}
    for name in ("server", "renamed_output"):
        alerts = folder / f"alerts-{name}"
        alerts.mkdir()
        launchers[f"weather-{name}"] = {
            "argv": [sys.executable, str(WEATHER / f"{name}.py")],
            "set": {"WEATHER_ALERTS": str(alerts), "PYTHONDONTWRITEBYTECODE": "1"},
            "measure": str(WEATHER / f"{name}.py"),
            "watch": {"files": str(alerts)},
        }
    return {"launchers": launchers}


def register(digest: str, name: str, version: str, *, policy: str) -> str:
    """Put a build forward; its candidate id."""
    artifact = "sha256:" + sha256((WEATHER / f"{name}.py").read_bytes()).hexdigest()
    made = asked(
        *("candidate", "register", "--bundle", digest, "--artifact", artifact),
        *("--version", version, "--launcher", f"weather-{name}", "--policy", policy),
    )["candidate"]
    print(f"{made['id']}  {made['state']}")
    return str(made["id"])


def shown(*arguments: object) -> int:
    """Run the command as a person does; its exit code, which is its answer."""
    show_command(arguments)
    code = subprocess.run(line_of(arguments), check=False).returncode
    print(f"exit code {code}", flush=True)
    return code


def asked(*arguments: object, quiet: bool = False) -> dict[str, Any]:
    """Run the command for its JSON document."""
    if not quiet:
        show_command(arguments)
    command = [*line_of(arguments), "--format", "json"]
    answer = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    document: dict[str, Any] = json.loads(answer.stdout)
    return document


def line_of(arguments: tuple[object, ...]) -> list[str]:
    return [str(PROGRAM), *map(str, arguments)]


def show_command(arguments: tuple[object, ...]) -> None:
    print("$ bundlegate", shlex.join(map(str, arguments)), flush=True)


def title(words: str) -> None:
    print(f"\n── {words}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
