"""Every JSON and YAML document in a bundle reads the same to every reader: one check a fault."""

from collections.abc import Iterator

from bundles.check import Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.json_reader import TEXT_BYTE_ORDER_MARK, TEXT_NOT_UTF8
from bundles.json_walk import (
    JSON_DUPLICATE_KEY,
    JSON_INTEGER_RANGE,
    JSON_LONE_SURROGATE,
    JSON_NOT_FINITE,
    JSON_STRING_TOO_LONG,
    JSON_SYNTAX,
    JSON_TOO_DEEP,
    JSON_TOO_MANY_NODES,
)
from bundles.reasons import reasons
from bundles.verdict import Layer, Severity, Stage
from bundles.yaml_reader import (
    YAML_ALIAS,
    YAML_DOCUMENTS,
    YAML_DUPLICATE_KEY,
    YAML_KEY_NOT_STRING,
    YAML_NUMBER,
    YAML_STRING_TOO_LONG,
    YAML_SYNTAX,
    YAML_TAG,
    YAML_TOO_DEEP,
    YAML_TOO_MANY_NODES,
)

_LONG = b"x" * ((1 << 20) + 1)

# reason code → (name of the check, a file name, content that has the fault)
_FAULTS: dict[str, tuple[str, str, bytes]] = {
    TEXT_NOT_UTF8: ("utf8", "a.json", b'{"a": "\xff"}'),
    TEXT_BYTE_ORDER_MARK: ("no-byte-order-mark", "a.json", b"\xef\xbb\xbf{}"),
    JSON_SYNTAX: ("json-syntax", "a.json", b'{"a": 1,}'),
    JSON_DUPLICATE_KEY: ("json-unique-keys", "a.json", b'{"a": 1, "a": 2}'),
    JSON_NOT_FINITE: ("json-finite-numbers", "a.json", b"[NaN]"),
    JSON_INTEGER_RANGE: ("json-exact-integers", "a.json", b"[18446744073709551616]"),
    JSON_LONE_SURROGATE: ("json-whole-surrogates", "a.json", b'["\\ud800"]'),
    JSON_TOO_DEEP: ("json-depth", "a.json", b"[" * 65 + b"]" * 65),
    JSON_STRING_TOO_LONG: ("json-string-length", "a.json", b'["' + _LONG + b'"]'),
    JSON_TOO_MANY_NODES: ("json-nodes", "a.json", b"[0" + b",0" * 250_000 + b"]"),
    YAML_SYNTAX: ("yaml-syntax", "a.yaml", b"a: ["),
    YAML_ALIAS: ("yaml-no-aliases", "a.yaml", b"a: &x 1\nb: *x\n"),
    YAML_TAG: ("yaml-no-tags", "a.yaml", b"a: !!python/none x\n"),
    YAML_DOCUMENTS: ("yaml-one-document", "a.yaml", b"a: 1\n---\nb: 2\n"),
    YAML_DUPLICATE_KEY: ("yaml-unique-keys", "a.yaml", b"a: 1\na: 2\n"),
    YAML_KEY_NOT_STRING: ("yaml-string-keys", "a.yaml", b"1: a\n"),
    YAML_NUMBER: ("yaml-plain-numbers", "a.yaml", b"a: .nan\n"),
    YAML_TOO_DEEP: ("yaml-depth", "a.yaml", b"[" * 65 + b"]" * 65),
    YAML_STRING_TOO_LONG: ("yaml-string-length", "a.yaml", b'"' + _LONG + b'"'),
    YAML_TOO_MANY_NODES: ("yaml-nodes", "a.yaml", b"[0" + b",0" * 25_000 + b"]"),
}

_SOUND = files_contract({"a.json": {"a": [1, 2.5, "é", None]}, "b.yaml": "a: [1, x, 2020-01-01]\n"})


def _register(code: str, name: str, path: str, bad: bytes) -> None:
    meaning = reasons()[code]

    def readable(contract: Contract) -> Iterator[Violation]:
        for error in contract.unreadable.values():
            if error.reason_code == code:
                yield Violation(
                    message=error.detail,
                    path=error.path,
                    pointer=error.pointer,
                    line=error.line,
                    seen=error.seen,
                    expected=error.expected,
                    next_step=meaning.next_step,
                )

    readable.__doc__ = (
        f"No document has this fault: {meaning.meaning}\n\n"
        "Why: what two readers may read differently cannot be pinned by a digest.\n"
        f"Fix: {meaning.next_step}"
    )
    check(
        id=f"bundle.readable.{name}",
        reason_code=code,
        subject=Subject.BUNDLE,
        stages=(Stage.STATIC,),
        layer=Layer.SCHEMA,
        severity=Severity.MUST,
        spec="bundle format, digest and limits; RFC 8259, RFC 8785, YAML 1.2",
        accepts=(_SOUND,),
        rejects=(files_contract({path: bad}),),
    )(readable)


for _code, (_name, _path, _bad) in _FAULTS.items():
    _register(_code, _name, _path, _bad)
