"""Egress rules: which addresses a probe may reach, decided on the address it will really use.

A name is resolved once, every address it has is judged, and the connection then goes to a judged
address, never to the name: a second answer of the resolver (DNS rebinding) reaches nobody.

Refused unless the operator allows them: every address of the IANA special-purpose registries
(RFC 6890 and successors), cloud metadata addresses, multicast, and every IPv6 form that carries an
IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo). IPv6 is refused outside 2000::/3.
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from bundles.errors import Invalid, Refused, Unreachable
from bundles.reasons import reason

EGRESS_URL_INVALID = reason(
    "EGRESS_URL_INVALID",
    "A target URL is not a plain absolute http or https URL.",
    "write https://host[:port]/path, without credentials, fragment, spaces or backslashes",
)
EGRESS_HOST_FORM = reason(
    "EGRESS_HOST_FORM",
    "A target URL spells its host in a form that hides the address it means.",
    "write the host name, the address in its usual form, or an international name as xn--…",
)
EGRESS_ADDRESS_REFUSED = reason(
    "EGRESS_ADDRESS_REFUSED",
    "A target resolves to an address that is not public and that the operator does not allow.",
    "use a public address, or have the operator of the worker allow this one: "
    "BUNDLEGATE_EGRESS_ALLOW, or `bundlegate up --allow-egress HOST:PORT`",
)
EGRESS_ALLOW_INVALID = reason(
    "EGRESS_ALLOW_INVALID",
    "An entry of the egress allow-list cannot be understood.",
    "write a host name, host:port, an address, [address]:port or a network such as 10.0.0.0/8",
)
EGRESS_UNRESOLVED = reason(
    "EGRESS_UNRESOLVED",
    "The host name of a target has no address.",
    "check the name and the resolver of the worker",
)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], list[str]]

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PLAIN_URL = re.compile(r"[!-~]+")
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?]*)(?P<path>/[^?]*)?(?P<query>\?.*)?"
)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_NAME = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?")
_NUMBER_LABEL = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")

_SPECIAL_V4 = {
    ipaddress.IPv4Network(block): what
    for block, what in {
        "0.0.0.0/8": "unspecified",
        "10.0.0.0/8": "private",
        "100.64.0.0/10": "shared address space",
        "127.0.0.0/8": "loopback",
        "168.63.129.16/32": "cloud metadata",
        "169.254.0.0/16": "link-local or cloud metadata",
        "172.16.0.0/12": "private",
        "192.0.0.0/24": "protocol assignments",
        "192.0.2.0/24": "documentation",
        "192.88.99.0/24": "6to4 relay",
        "192.168.0.0/16": "private",
        "198.18.0.0/15": "benchmarking",
        "198.51.100.0/24": "documentation",
        "203.0.113.0/24": "documentation",
        "224.0.0.0/4": "multicast",
        "240.0.0.0/4": "reserved or broadcast",
    }.items()
}
_SPECIAL_V6 = {
    ipaddress.IPv6Network(block): what
    for block, what in {
        "::1/128": "loopback",
        "::/128": "unspecified",
        "::ffff:0:0/96": "IPv4-mapped",
        "::/96": "IPv4-compatible",
        "64:ff9b::/96": "NAT64",
        "64:ff9b:1::/48": "local NAT64",
        "fc00::/7": "unique local",
        "fe80::/10": "link-local",
        "fec0::/10": "site-local",
        "ff00::/8": "multicast",
        "2001::/32": "Teredo",
        "2001::/23": "protocol assignments",
        "2001:db8::/32": "documentation",
        "2002::/16": "6to4",
        "3fff::/20": "documentation",
    }.items()
}
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")


@dataclass(frozen=True, slots=True)
class Destination:
    """A well-formed URL taken apart; nothing in it has been resolved.

    Attributes:
        scheme: "http" or "https".
        host: lower case, without brackets or trailing dot.
        port: explicit or the scheme's own.
        target: path and query as they go on the request line.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def host_header(self) -> str:
        """Value of the Host header: the host as named, and a port that is not the default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def url_at(self, address: Address) -> str:
        """The same URL with a judged address in place of the name."""
        host = f"[{address}]" if address.version == 6 else str(address)
        return f"{self.scheme}://{host}:{self.port}{self.target}"


@dataclass(frozen=True, slots=True)
class Pinned:
    """A destination and the addresses, all judged, in the resolver's order."""

    destination: Destination
    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class _Allowed:
    """One entry of the allow-list: a network or a host name, and a port or None for any."""

    network: Network | None
    host: str
    port: int | None

    def covers(self, host: str, address: Address, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if self.network is None:
            return host == self.host
        return address.version == self.network.version and address in self.network


@dataclass(frozen=True, slots=True)
class EgressRules:
    """Addresses the operator allows besides public ones: host, host:port or CIDR.

    Raises:
        Invalid: EGRESS_ALLOW_INVALID, an entry is none of these.
    """

    allow: tuple[str, ...] = ()
    _entries: tuple[_Allowed, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_entries", tuple(_allowed(entry) for entry in self.allow))

    def judge(self, host: str, address: Address, port: int) -> str:
        """Why an address may not be reached under a name, or "" when it may."""
        what = special_use(address)
        if not what or any(entry.covers(host, address, port) for entry in self._entries):
            return ""
        return what

    async def pin(self, url: str, resolve: Resolver | None = None) -> Pinned:
        """Resolve a URL and judge every address its host has.

        One refused address refuses the whole name: honest names do not mix public and private.

        Raises:
            Refused: EGRESS_URL_INVALID, EGRESS_HOST_FORM or EGRESS_ADDRESS_REFUSED.
            Unreachable: EGRESS_UNRESOLVED.
        """
        destination = check_url(url)
        addresses = await _addresses(destination, resolve or _getaddrinfo)
        for address in addresses:
            what = self.judge(destination.host, address, destination.port)
            if what:
                raise Refused(
                    EGRESS_ADDRESS_REFUSED,
                    f"{destination.host} is a {what} address"
                    + ("" if destination.host == str(address) else f", {address}"),
                    seen=str(address),
                    expected={"public": True, "or allowed": list(self.allow)},
                )
        return Pinned(destination, addresses)


def special_use(address: Address) -> str:
    """What makes an address not public, or ""."""
    if address.version == 4:
        return next((what for block, what in _SPECIAL_V4.items() if address in block), "")
    named = next((what for block, what in _SPECIAL_V6.items() if address in block), "")
    return named or ("" if address in _PUBLIC_V6 else "reserved")


def check_url(url: str) -> Destination:
    """Take a target URL apart, refusing every spelling two readers could take two ways.

    Raises:
        Refused: EGRESS_URL_INVALID or EGRESS_HOST_FORM.
    """
    if not _PLAIN_URL.fullmatch(url) or "\\" in url or "#" in url:
        raise Refused(EGRESS_URL_INVALID, "only printable ASCII without backslash and fragment")
    parts = _URL.fullmatch(url)
    if parts is None or parts["scheme"].lower() not in _DEFAULT_PORTS:
        raise Refused(
            EGRESS_URL_INVALID,
            "the scheme is none that can be used",
            seen=parts["scheme"] if parts else None,
            expected=list(_DEFAULT_PORTS),
        )
    scheme, netloc = parts["scheme"].lower(), parts["authority"]
    if "@" in netloc:
        # the userinfo may be a password: it is not shown
        raise Refused(EGRESS_URL_INVALID, "credentials in a URL end up in logs; use a header")
    authority = _AUTHORITY.fullmatch(netloc)
    if authority is None:
        raise Refused(EGRESS_HOST_FORM, "the host is not a name or an address", seen=netloc)
    port = int(authority["port"] or _DEFAULT_PORTS[scheme])
    if not 0 < port < 65536:
        raise Refused(EGRESS_URL_INVALID, f"port {port} does not exist", seen=port)
    target = (parts["path"] or "/") + (parts["query"] or "")
    return Destination(scheme, _host(authority["host"]), port, target)


def _host(spelled: str) -> str:
    if spelled.startswith("["):
        try:
            return str(ipaddress.IPv6Address(spelled[1:-1]))
        except ValueError:
            raise Refused(EGRESS_HOST_FORM, "not an IPv6 address", seen=spelled) from None
    host = spelled.lower().removesuffix(".")
    if not _NAME.fullmatch(host) or len(host) > 253:
        raise Refused(EGRESS_HOST_FORM, "not a host name", seen=spelled)
    if _NUMBER_LABEL.fullmatch(host.rpartition(".")[2]) and not _canonical_v4(host):
        raise Refused(
            EGRESS_HOST_FORM,
            "a host that ends in a number must be four plain decimal numbers",
            seen=spelled,
        )
    return host


def _canonical_v4(host: str) -> bool:
    try:
        return str(ipaddress.IPv4Address(host)) == host
    except ValueError:
        return False


async def _addresses(destination: Destination, resolve: Resolver) -> tuple[Address, ...]:
    try:
        return (ipaddress.ip_address(destination.host),)
    except ValueError:
        pass
    loop = asyncio.get_running_loop()
    try:
        found = await loop.run_in_executor(None, resolve, destination.host, destination.port)
    except (OSError, UnicodeError) as error:
        raise Unreachable(
            EGRESS_UNRESOLVED, f"{destination.host}: {error}", seen=destination.host
        ) from error
    # a link-local answer carries a zone ("fe80::1%eth0"); the address is what is judged
    addresses = dict.fromkeys(ipaddress.ip_address(a.partition("%")[0]) for a in found)
    if not addresses:
        raise Unreachable(EGRESS_UNRESOLVED, f"{destination.host} has no address")
    return tuple(addresses)


def _getaddrinfo(host: str, port: int) -> list[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(answer[4][0]) for answer in answers]


def _allowed(entry: str) -> _Allowed:
    network = _network(entry)
    if network is not None:
        return _Allowed(network, "", None)
    authority = _AUTHORITY.fullmatch(entry)
    if authority is not None:
        try:
            host = _host(authority["host"])
        except Refused as error:
            raise _bad_entry(entry) from error
        port = int(authority["port"]) if authority["port"] else None
        if port is None or 0 < port < 65536:
            return _Allowed(_network(host), host, port)
    raise _bad_entry(entry)


def _bad_entry(entry: str) -> Invalid:
    return Invalid(EGRESS_ALLOW_INVALID, f"cannot understand {entry!r}", seen=entry)


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None
