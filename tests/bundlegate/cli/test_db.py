import json
import sqlite3

from click.testing import CliRunner

from bundlegate.cli import cli


def test_upgrade_makes_the_tables_and_doing_it_again_changes_nothing(tmp_path):
    path = tmp_path / "new" / "store.db"
    for _ in range(2):
        asked = ["db", "upgrade", "--database-url", f"sqlite:///{path}", "--format", "json"]
        told = CliRunner().invoke(cli, asked)
        assert (told.exit_code, json.loads(told.stdout)) == (0, {"upgraded": True})
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM evidence").fetchone() == (0,)
    connection.close()


def test_an_address_of_no_database_is_wrong_usage():
    told = CliRunner().invoke(cli, ["db", "upgrade", "--database-url", "mysql://secret@x/y"])
    assert told.exit_code == 2
    assert "DATABASE_URL_UNSUPPORTED" in told.stderr
    assert "secret" not in told.stderr
