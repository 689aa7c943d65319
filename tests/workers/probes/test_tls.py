"""A connection to a judged address is still a connection to the name: certificate, SNI and Host."""

import asyncio
import datetime
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bundles.transcript import Exchange, Failure
from tests.servers.hostile_http import Hostile, Request, answer, serve, whole
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint
from workers.probes.conversation import Terms
from workers.probes.mcp_http import HttpConversation
from workers.probes.redact import Redactor

NAME = "pinned.example"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for `NAME` and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


def greet(
    name: str, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Exchange, Hostile, list[str | None]]:
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr("workers.probes.mcp_http._tls", lambda: trusting)
    monkeypatch.setattr("workers.egress._getaddrinfo", lambda host, port: ["127.0.0.1"])
    asked: list[str | None] = []
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate)
    serving.sni_callback = lambda _socket, sni, _context: asked.append(sni)

    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(whole(answer(request, {})))

    async def run() -> tuple[Exchange, Hostile]:
        async with serve(behaviour, serving) as hostile:
            url = f"https://{name}:{hostile.port}/mcp"
            terms = Terms("2026-07-28", Budget(), Redactor())
            endpoint = HttpEndpoint(url, EgressRules(("127.0.0.1",)))
            async with HttpConversation(terms, endpoint) as conversation:
                return await conversation.greet("discover"), hostile

    return *asyncio.run(run()), asked


def test_the_name_is_asked_for_and_its_certificate_verified(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange, hostile, asked = greet(NAME, certificate, monkeypatch)
    assert exchange.failure is None
    assert asked == [NAME]
    assert hostile.requests[0].header("host") == f"{NAME}:{hostile.port}"


def test_a_certificate_for_another_name_is_unreachable_and_nothing_is_sent(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange, hostile, _ = greet("other.example", certificate, monkeypatch)
    assert exchange.failure is Failure.UNREACHABLE
    assert "certificate" in exchange.note.lower()
    assert hostile.requests == []
