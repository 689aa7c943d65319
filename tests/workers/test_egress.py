"""Addresses a probe may reach, over every spelling of an address somebody has tried."""

import asyncio
import ipaddress
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import BundlegateError, Invalid, Refused, Unreachable
from workers.egress import EgressRules, check_url, special_use

NOBODY = EgressRules()


def pin(url: str, rules: EgressRules = NOBODY, answers: list[str] | None = None) -> list[str]:
    def resolve(host: str, port: int) -> list[str]:
        if answers is None:
            raise OSError(f"the test resolves nothing: {host}")
        return answers

    pinned = asyncio.run(rules.pin(url, resolve))
    return [str(address) for address in pinned.addresses]


def refusal(url: str, rules: EgressRules = NOBODY, answers: list[str] | None = None) -> str:
    with pytest.raises(BundlegateError) as caught:
        pin(url, rules, answers)
    return caught.value.reason_code


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.255.0.9",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[::ffff:8.8.8.8]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[2001::1]",
        "[2001:db8::1]",
        "[100::1]",
    ],
)
def test_special_addresses_are_refused_by_default(host: str) -> None:
    assert refusal(f"http://{host}/mcp") == "EGRESS_ADDRESS_REFUSED"


@pytest.mark.parametrize("host", ["8.8.8.8", "[2606:4700::1111]", "172.32.0.1", "100.128.0.1"])
def test_public_addresses_are_reached(host: str) -> None:
    assert pin(f"https://{host}/mcp") == [host.strip("[]")]


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "127.0.1",
        "127.0.0.01",
        "127.0.0.1.0",
        "0x",
        "256.1.1.1",
        "1.2.3.4.5",
        "example.123",
        "\uff11\uff12\uff17.0.0.1",
        "127\u30020\u30020\u30021",
        "%31%32%37.0.0.1",
        "[fe80::1%25eth0]",
        "[::1",
        "-example.com",
        "exa mple.com",
        "example..com",
        "example.com\\@127.0.0.1",
    ],
)
def test_odd_spellings_of_a_host_are_refused(host: str) -> None:
    assert refusal(f"http://{host}/") in {"EGRESS_HOST_FORM", "EGRESS_URL_INVALID"}


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "//example.com/",
        "example.com",
        "http://user:pass@example.com/",
        "http://example.com@127.0.0.1/",
        "http://example.com/#fragment",
        "http://example.com/a b",
        "http://example.com/\r\nHost: evil",
        "http://example.com:0/",
        "http://example.com:65536/",
        "http:///",
        "",
    ],
)
def test_urls_that_are_no_plain_http_urls_are_refused(url: str) -> None:
    assert refusal(url) in {"EGRESS_HOST_FORM", "EGRESS_URL_INVALID"}


def test_a_password_in_a_url_is_not_repeated() -> None:
    with pytest.raises(Refused) as caught:
        check_url("http://user:hunter22@example.com/")
    assert "hunter22" not in str(caught.value.to_dict())


def test_a_name_is_judged_by_every_address_it_has() -> None:
    assert pin("http://a.example/", answers=["8.8.8.8"]) == ["8.8.8.8"]
    mixed = ["8.8.8.8", "169.254.169.254"]
    assert refusal("http://a.example/", answers=mixed) == "EGRESS_ADDRESS_REFUSED"
    scoped = ["fe80::1%eth0"]
    assert refusal("http://a.example/", answers=scoped) == "EGRESS_ADDRESS_REFUSED"


def test_a_name_without_address_is_unreachable_not_refused() -> None:
    with pytest.raises(Unreachable) as caught:
        pin("http://nowhere.example/")
    assert caught.value.reason_code == "EGRESS_UNRESOLVED"


@pytest.mark.parametrize(
    ("allow", "url", "answers"),
    [
        ("localhost", "http://localhost:9/", ["127.0.0.1", "::1"]),
        ("localhost:9", "http://LOCALHOST.:9/", ["127.0.0.1"]),
        ("10.0.0.0/8", "http://in.example/", ["10.1.2.3"]),
        ("127.0.0.1", "http://127.0.0.1:5000/", None),
        ("127.0.0.1:5000", "http://127.0.0.1:5000/", None),
        ("[::1]:5000", "http://[::1]:5000/", None),
        ("::1", "http://[0:0:0:0:0:0:0:1]/", None),
        ("64:ff9b::/96", "http://[64:ff9b::808:808]/", None),
    ],
)
def test_what_the_operator_allows_is_reached(
    allow: str, url: str, answers: list[str] | None
) -> None:
    assert pin(url, EgressRules((allow,)), answers)


@pytest.mark.parametrize(
    ("allow", "url", "answers"),
    [
        ("localhost:9", "http://localhost:10/", ["127.0.0.1"]),
        ("localhost", "http://other.example/", ["127.0.0.1"]),
        ("127.0.0.1:5000", "http://127.0.0.1:5001/", None),
        ("10.0.0.0/8", "http://in.example/", ["10.1.2.3", "192.168.0.1"]),
        ("example.com", "http://sub.example.com/", ["10.0.0.1"]),
        ("127.0.0.0/8", "http://[::ffff:127.0.0.1]/", None),
    ],
)
def test_allowing_one_thing_allows_nothing_else(
    allow: str, url: str, answers: list[str] | None
) -> None:
    assert refusal(url, EgressRules((allow,)), answers) == "EGRESS_ADDRESS_REFUSED"


@pytest.mark.parametrize("entry", ["", "http://localhost", "10.0.0.1/8", "a b", "host:0", "127.1"])
def test_an_allow_entry_nobody_can_understand_is_refused(entry: str) -> None:
    with pytest.raises(Invalid) as caught:
        EgressRules((entry,))
    assert caught.value.reason_code == "EGRESS_ALLOW_INVALID"


def test_host_header_and_address_of_a_pinned_destination() -> None:
    destination = check_url("https://Example.com:8443/mcp?x=1")
    assert destination.host_header == "example.com:8443"
    assert destination.url_at(ipaddress.ip_address("8.8.8.8")) == "https://8.8.8.8:8443/mcp?x=1"
    default = check_url("http://[2606:4700::1111]")
    assert default.host_header == "[2606:4700::1111]"
    assert default.url_at(ipaddress.ip_address("::1")) == "http://[::1]:80/"


def _spellings(packed: int) -> st.SearchStrategy[str]:
    a, b, c, d = packed.to_bytes(4, "big")
    return st.sampled_from(
        [
            str(packed),
            hex(packed),
            oct(packed).replace("o", ""),
            f"{a}.{b}.{c}.{d}",
            f"{a}.{b}.{c * 256 + d}",
            f"{a}.{packed & 0xFFFFFF}",
            f"{a:#o}.{b}.{c}.{d}".replace("0o", "0"),
            f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
            f"{a:03d}.{b}.{c}.{d}",
            f"{a}.{b}.{c}.{d}.",
            f"[::ffff:{a}.{b}.{c}.{d}]",
            f"[::{a}.{b}.{c}.{d}]",
            f"[64:ff9b::{a}.{b}.{c}.{d}]",
            f"[2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1]",
        ]
    )


_NETWORKS = ["127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16", "172.16.0.0/12"]
_PRIVATE = st.sampled_from(_NETWORKS).flatmap(
    lambda net: st.integers(int(ipaddress.IPv4Network(net)[0]), int(ipaddress.IPv4Network(net)[-1]))
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(_PRIVATE.flatmap(_spellings))
def test_no_spelling_of_a_private_address_is_reached(host: str) -> None:
    assert refusal(f"http://{host}/").startswith("EGRESS_")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(alphabet="0123456789abcdefx.:[]%-/@\\#", min_size=1, max_size=24))
def test_whatever_the_system_reads_as_a_private_address_is_refused(host: str) -> None:
    """The system's own reader is the oracle: it takes the odd forms, we must not reach them."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), 80, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    if any(special_use(address) for address in addresses):
        assert refusal(f"http://{host}/").startswith("EGRESS_")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.ip_addresses())
def test_an_address_python_calls_private_is_never_public(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if not address.is_global or address.is_multicast:
        assert special_use(address)
