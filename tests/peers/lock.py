"""Write package-lock.json anew after package.json was edited: `python -m tests.peers.lock`.

What npm adds about who to send money to is left out: those are host names.
"""

import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    lock = HERE / "package-lock.json"
    lock.unlink(missing_ok=True)
    subprocess.run(["npm", "install", "--package-lock-only"], cwd=HERE, check=True)
    written = json.loads(lock.read_text())
    for package in written["packages"].values():
        package.pop("funding", None)
    lock.write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
