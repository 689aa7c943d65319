"""Targets are resolved by the operator's word alone."""

from pathlib import Path

import pytest

from bundles.digest import bundle_digest, raw_digest
from bundles.errors import BundlegateError, Invalid
from service.admission.model import Binding, Target
from workers.endpoints import HttpEndpoint, ProcessLimits, StdioEndpoint
from workers.launchers import Launchers
from workers.measure import measure

ANY = "sha256:" + "0" * 64
FILE = """
launchers:
  weather:
    argv: [python, server.py, "--port", "1"]
    env: [PATH, TOKEN, MISSING]
    set: {MODE: "safe"}
    cwd: app
    measure: app/server.py
    watch: {files: app/data}
    limits: {memory_mib: 64, open_files: 32}
    uid: 1001
  plain:
    argv: [./run]
credentials:
  env:WEATHER_TOKEN: [weather.example.com, "other.example:8443"]
  file:/no/such/file: [weather.example.com]
"""


@pytest.fixture
def launchers(tmp_path: Path) -> Launchers:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "server.py").write_text("print()")
    (tmp_path / "launchers.yaml").write_text(FILE)
    return Launchers.read(tmp_path / "launchers.yaml", egress=("localhost",))


def http(url: str, **headers: str) -> Target:
    return Target("t", "mcp+http", url=url, headers=headers)


def code_of(launchers: Launchers, target: Target, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(BundlegateError) as caught:
        launchers.resolve(target, ANY, environ or {})
    return caught.value.reason_code


def test_a_launcher_passes_only_the_variables_it_names(
    launchers: Launchers, tmp_path: Path
) -> None:
    environ = {"PATH": "/bin", "TOKEN": "t", "SIGNING_KEY": "s"}
    digest = raw_digest(b"print()")
    endpoint, binding = launchers.resolve(
        Target("t", "mcp+stdio", launcher="weather"), digest, environ
    )
    app = tmp_path / "app"
    assert binding is Binding.MEASURED
    assert endpoint == StdioEndpoint(
        argv=("python", "server.py", "--port", "1"),
        env={"PATH": "/bin", "TOKEN": "t", "MODE": "safe"},
        cwd=app,
        measure=app / "server.py",
        watch={"files": app / "data"},
        limits=ProcessLimits(memory_mib=64, open_files=32),
        uid=1001,
    )


def test_what_is_not_measured_is_only_claimed(launchers: Launchers) -> None:
    target = Target("t", "mcp+stdio", launcher="plain")
    assert launchers.resolve(target, ANY, {})[1] is Binding.CLAIMED
    assert launchers.resolve(http("https://example.com"), ANY, {})[1] is Binding.CLAIMED


def test_another_artifact_than_the_candidates_is_refused_with_both_digests(
    launchers: Launchers,
) -> None:
    with pytest.raises(BundlegateError) as caught:
        launchers.resolve(Target("t", "mcp+stdio", launcher="weather"), ANY, {})
    assert caught.value.reason_code == "ARTIFACT_DIGEST_MISMATCH"
    assert (caught.value.seen, caught.value.expected) == (raw_digest(b"print()"), ANY)


def test_a_launcher_nobody_configured_is_refused_and_the_known_ones_are_named(
    launchers: Launchers,
) -> None:
    target = Target("t", "mcp+stdio", launcher="rm -rf /")
    assert code_of(launchers, target) == "LAUNCHER_UNKNOWN"
    assert code_of(Launchers.read(None), target) == "LAUNCHER_UNKNOWN"
    assert code_of(launchers, Target("t", "mcp+ssh")) == "TARGET_KIND_UNKNOWN"


def test_a_credential_goes_only_where_the_operator_lets_it(launchers: Launchers) -> None:
    environ = {"WEATHER_TOKEN": "Bearer x", "OTHER": "y"}
    allowed = http("https://weather.example.com/mcp", Authorization="env:WEATHER_TOKEN")
    endpoint, _ = launchers.resolve(allowed, ANY, environ)
    assert isinstance(endpoint, HttpEndpoint)
    assert endpoint.headers == {"Authorization": "Bearer x"}
    assert endpoint.egress.allow == ("localhost",)
    for url, reference in [
        ("https://evil.example/mcp", "env:WEATHER_TOKEN"),
        ("https://other.example/mcp", "env:WEATHER_TOKEN"),
        ("https://weather.example.com/mcp", "env:OTHER"),
        ("https://weather.example.com/mcp", "file:/etc/passwd"),
    ]:
        refused = code_of(launchers, http(url, Authorization=reference), environ)
        assert refused == "CREDENTIAL_NOT_ALLOWED"
    assert code_of(Launchers.read(None), allowed, environ) == "CREDENTIAL_NOT_ALLOWED"


@pytest.mark.parametrize("value", ["", "a\r\nX-Evil: 1", "a\0b"])
def test_a_credential_that_is_no_line_of_text_is_unavailable(
    launchers: Launchers, value: str
) -> None:
    target = http("https://weather.example.com/", Authorization="env:WEATHER_TOKEN")
    assert code_of(launchers, target, {"WEATHER_TOKEN": value}) == "CREDENTIAL_UNAVAILABLE"
    missing = http("https://weather.example.com/", Authorization="file:/no/such/file")
    assert code_of(launchers, missing) == "CREDENTIAL_UNAVAILABLE"


def test_a_value_in_place_of_a_reference_is_refused_and_not_repeated(
    launchers: Launchers,
) -> None:
    with pytest.raises(Invalid) as caught:
        launchers.resolve(http("https://example.com", Authorization="Bearer hunter22"), ANY, {})
    assert caught.value.reason_code == "CREDENTIAL_REFERENCE_INVALID"
    assert "hunter22" not in str(caught.value.to_dict())


def test_a_credential_file_is_read_without_its_last_line_break(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("Bearer from-file\n")
    reference = f"file:{tmp_path / 'token'}"
    config = tmp_path / "launchers.yaml"
    config.write_text(f'credentials: {{"{reference}": [example.com]}}')
    target = http("https://example.com", Authorization=reference)
    endpoint, _ = Launchers.read(config).resolve(target, ANY, {})
    assert isinstance(endpoint, HttpEndpoint)
    assert endpoint.headers == {"Authorization": "Bearer from-file"}


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("[]", ""),
        ("launcher: {}", "/launcher"),
        ("launchers: []", "/launchers"),
        ("launchers: {a: {}}", "/launchers/a/argv"),
        ("launchers: {a: {argv: python}}", "/launchers/a/argv"),
        ("launchers: {a: {argv: [1]}}", "/launchers/a/argv/0"),
        ("launchers: {a: {argv: [x], shell: true}}", "/launchers/a/shell"),
        ("launchers: {a: {argv: [x], env: {A: b}}}", "/launchers/a/env"),
        ("launchers: {a: {argv: [x], set: {A: 1}}}", "/launchers/a/set/A"),
        ("launchers: {a: {argv: [x], limits: {cpu: 1}}}", "/launchers/a/limits/cpu"),
        (
            "launchers: {a: {argv: [x], limits: {cpu_seconds: -1}}}",
            "/launchers/a/limits/cpu_seconds",
        ),
        ("launchers: {a: {argv: [x], uid: true}}", "/launchers/a/uid"),
        ("launchers: {a: {argv: [x], watch: {my files: d}}}", "/launchers/a/watch"),
        ("credentials: {TOKEN: [example.com]}", "/credentials"),
        ("credentials: {'env:A': example.com}", "/credentials/env:A"),
    ],
)
def test_a_launchers_file_is_read_strictly(tmp_path: Path, text: str, pointer: str) -> None:
    file = tmp_path / "launchers.yaml"
    file.write_text(text)
    with pytest.raises(Invalid) as caught:
        Launchers.read(file)
    assert (caught.value.reason_code, caught.value.pointer) == ("LAUNCHERS_INVALID", pointer)


@pytest.mark.parametrize("text", ["a: [", "a: 1\na: 2", None])
def test_a_launchers_file_that_cannot_be_read_is_refused(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "launchers.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(Invalid) as caught:
        Launchers.read(file)
    assert caught.value.reason_code == "LAUNCHERS_INVALID"


def test_a_folder_is_measured_by_the_bundle_digest_rule(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.py").write_bytes(b"2")
    (tmp_path / "a.txt").write_bytes(b"1")
    assert measure(tmp_path) == bundle_digest({"a.txt": b"1", "b/x.py": b"2"})
    assert measure(tmp_path / "a.txt") == raw_digest(b"1")


def test_what_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundlegateError) as caught:
        measure(tmp_path / "missing")
    assert caught.value.reason_code == "ARTIFACT_UNMEASURABLE"
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(BundlegateError) as caught:
        measure(tmp_path)
    assert caught.value.reason_code == "ARTIFACT_UNMEASURABLE"


def test_a_folder_too_large_to_measure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.measure.MAX_BYTES", 3)
    (tmp_path / "a").write_bytes(b"1234")
    with pytest.raises(BundlegateError) as caught:
        measure(tmp_path)
    assert caught.value.reason_code == "ARTIFACT_TOO_LARGE"
