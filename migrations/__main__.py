"""`python -m migrations`: write down what the revisions make of a new SQLite database."""

import json

from migrations.fresh import STATEMENTS, statements

if __name__ == "__main__":
    STATEMENTS.write_text(json.dumps(statements(), indent=1) + "\n", encoding="utf-8")
