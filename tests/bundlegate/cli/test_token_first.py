"""`bundlegate token first`: the way in where no `bundlegate up` prepared a token."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from bundlegate.cli import cli
from service.admission.registry import Registry
from service.clock import SystemClock
from service.queue import CeleryRunQueue
from service.settings import Settings
from service.signing import create_key, load_signer
from service.store import open_store


def test_the_first_token_is_an_admin_and_is_made_once(
    migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_key(tmp_path / "signing.key")
    monkeypatch.setenv("BUNDLEGATE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("BUNDLEGATE_DATABASE_URL", migrated_url)
    made = CliRunner().invoke(cli, ["token", "first"])
    assert made.exit_code == 0, made.stderr
    again = CliRunner().invoke(cli, ["token", "first"])
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.startswith("FIRST_TOKEN_TAKEN")
    settings = Settings.from_env()
    store = open_store(settings.database_url, pool_size=1)
    try:
        signer, queue = load_signer(settings.signing_key), CeleryRunQueue(settings.broker_url)
        registry = Registry(store, signer, SystemClock(), queue, settings)
        assert registry.authenticate(made.stdout.strip()).may("admin")
    finally:
        store.close()
