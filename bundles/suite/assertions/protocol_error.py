"""protocolError: the call is answered with a JSON-RPC error, and the case passes on it."""

from collections.abc import Mapping
from typing import Any

from bundles.report.cut import cut, escaped, shown
from bundles.suite.assertions.kind import EVERY_OPERATION, Kind
from bundles.suite.assertions.seen import Seen
from bundles.suite.issues import NOT_BLANK, Issues
from bundles.suite.javascript import is_number, is_safe_integer
from bundles.suite.model import Assertion
from bundles.suite.outcomes import PROTOCOL_ERROR_MISMATCH, AssertionOutcome
from bundles.suite.paths import Path
from bundles.suite.redaction import masked_text, quoted

_TYPE = "protocolError"
_CODE = "a JSON-RPC error code, a whole number"


def _judge(assertion: Assertion, seen: Seen) -> AssertionOutcome:
    given, error = assertion.given, seen.operation.error
    code, part = given["code"], given.get("messageContains", "")
    if error is None:
        return _failed(f"expected JSON-RPC error {code:.0f}, got a result", code, None)
    actual, text = error.get("code"), error.get("message")
    if not is_number(actual) or actual != code:
        got = f"expected JSON-RPC error {code:.0f}, got error {quoted(actual, seen.secrets)}"
        return _failed(got, code, actual if is_number(actual) else None)
    if isinstance(text, str) and part in text:
        return AssertionOutcome(_TYPE, "passed")
    said = escaped(cut(masked_text(str(text), seen.secrets)))
    wanted = f"expected an error message that contains {shown(part)}, got {said}"
    return _failed(wanted, code, actual)


def _failed(message: str, expected: float, actual: object) -> AssertionOutcome:
    return AssertionOutcome(_TYPE, "failed", PROTOCOL_ERROR_MISMATCH, message, expected, actual)


def _validate(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
    if "code" in given and not is_safe_integer(given["code"]):
        place, code = path.field("code"), given["code"]
        (issues.wrong_value if is_number(code) else issues.wrong_type)(place, _CODE, code)
    if "messageContains" in given:
        issues.filled(path.field("messageContains"), NOT_BLANK, given["messageContains"])


PROTOCOL_ERROR = Kind(
    type=_TYPE,
    operations=EVERY_OPERATION,
    members={"code": {"type": "integer"}, "messageContains": {"$ref": "#/$defs/filled"}},
    required={"code": _CODE},
    judge=_judge,
    validate=_validate,
    without_result=True,
    variables_in=("messageContains",),
)
