"""Settings: read whole, refused whole, and never shown with their secrets."""

from pathlib import Path

import pytest

from bundles.errors import Invalid
from service.settings import Settings, settings_table

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_documented_table_is_complete() -> None:
    assert settings_table() in DOCS.read_text(encoding="utf-8"), (
        "docs/settings.md must hold the table that service.settings.settings_table() renders"
    )


def test_defaults_live_in_the_data_folder(tmp_path: Path) -> None:
    settings = Settings.from_env({"BUNDLEGATE_DATA_DIR": str(tmp_path)})
    assert settings.database_url == f"sqlite:///{tmp_path}/bundlegate.db"
    assert settings.broker_url == f"redis+socket://{settings.broker_socket}"
    assert settings.signing_key == f"file:{tmp_path}/signing.key"
    assert settings.launchers is None


def test_all_problems_are_reported_together_with_the_nearest_name() -> None:
    with pytest.raises(Invalid) as refused:
        Settings.from_env({"BUNDLEGATE_PROT": "1", "BUNDLEGATE_LEASE_S": "soon", "HOME": "/"})
    assert refused.value.reason_code == "SETTING_INVALID"
    assert "BUNDLEGATE_PROT is no setting (did you mean BUNDLEGATE_PORT?)" in refused.value.detail
    assert "BUNDLEGATE_LEASE_S" in refused.value.detail


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("MAX_ATTEMPTS", "0"),
        ("MAX_ATTEMPTS", "1_0"),
        ("HEARTBEAT_S", "31"),
        ("LOG_LEVEL", "loud"),
        ("DATABASE_URL", "mysql://x"),
        ("BROKER_URL", "amqp://x"),
        ("SIGNING_KEY", "MC4CAQAwBQYDK2VwBCIEIA"),
        ("LAUNCHERS", ""),
    ],
)
def test_an_unusable_value_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(Invalid, match=f"BUNDLEGATE_{name}"):
        Settings.from_env({f"BUNDLEGATE_{name}": value})


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://app:s3cret@db/bundlegate",
        "postgresql+psycopg://app:p@s3cret@db/bundlegate",
        "postgresql+psycopg://app:a/s3cret@db/bundlegate",
        "postgresql+psycopg:///bundlegate?user=app&password=s3cret",
    ],
)
def test_passwords_are_shown_nowhere(address: str) -> None:
    settings = Settings(database_url=address, broker_url="redis://:s3cret@broker:6379/0")
    assert "s3cret" not in repr(settings)
    assert "s3cret" not in str(settings.masked())


def test_a_child_reads_back_what_its_parent_tells_it(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path, egress_allow=("127.0.0.1", "10.0.0.0/8"), launchers=tmp_path / "l.yaml"
    )
    assert Settings.from_env(settings.to_env()) == settings


def test_a_long_data_folder_still_gets_a_socket_path_that_fits(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    assert len(str(Settings(data_dir=deep).broker_socket)) < 107
    assert Settings(data_dir=deep).broker_socket != Settings(data_dir=deep / "x").broker_socket
