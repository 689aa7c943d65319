"""What a refusal of bad arguments rests on: validation that names itself, or nobody can tell.

`isError: true` says that there was an error, not that the arguments were refused: a server that
crashed answers the same. Only the text tells the two apart, and only where a known validator wrote
it. The basis is shown beside a verdict and never changes it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from bundles.suite.extraction import Extracted, extract_body
from bundles.suite.javascript import trimmed
from bundles.suite.model import Assertion

Basis = Literal["verified", "unverified"]

_SDK_PREFIXES = ("MCP error -32602:", "Input validation error:")

# The name must end there: `xArgumentsOld` and `xArguments-b` are the arguments of another tool.
_NAME_GOES_ON = r"[\w-]|[./:](?=\w)"

_MOCK_ENDS = [
    "→ 이 툴이 tools/list 로 선언한 inputSchema 가 그렇게 요구합니다.",
    "→ 거절이 의도한 것이면 responses 에 이 인자를 넣어 응답을 지정하세요.",
]

_MOCK_LINES = (
    ("호출에 필수 필드 '", "' 이(가) 없습니다. 받은 인자: "),
    ("의 '", "' 은(는) ", "야 합니다", "받은 "),
)
"""A field is missing; or a field must be of a type, of some values, in a range, and was not."""


def rejection_basis(tool: str, result: object) -> Basis:
    """Whether a call was refused by something that is known to validate arguments.

    Args:
        tool: the name of the tool that was called.
        result: the result of the call, plain JSON. An accepted one (isError is not true), one
            without exactly one text block, and one whose text is JSON are unverified.

    Verified are, spaces around aside: text that starts as the SDKs start theirs; `Error executing
    tool T: N validation errors for TArguments` with N above 0; and text that is wholly the
    diagnostics of the reference tool's mock server about this tool.
    """
    if not isinstance(result, Mapping) or result.get("isError") is not True:
        return "unverified"
    body = extract_body(result)
    if not isinstance(body, Extracted) or body.form != "text":
        return "unverified"
    text = trimmed(body.value)
    known = text.startswith(_SDK_PREFIXES) or _of_pydantic(tool, text) or _of_mock(tool, text)
    return "verified" if known else "unverified"


def expects_rejection(assertions: Iterable[Assertion]) -> bool:
    """Whether a case expects a refusal, so that what it rests on is worth asking.

    It asserts isError true and not, beside it, isError false.
    """
    expected = {assertion.expected for assertion in assertions if assertion.type == "isError"}
    return expected == {True}


def _of_pydantic(tool: str, text: str) -> bool:
    name = re.escape(tool)
    return (
        re.match(
            f"Error executing tool {name}: [1-9][0-9]* validation errors? "
            f"for {name}Arguments(?!{_NAME_GOES_ON})",
            text,
        )
        is not None
    )


def _of_mock(tool: str, text: str) -> bool:
    lines = text.split("\n")
    said, ends = lines[:-2], lines[-2:]
    return bool(said) and ends == _MOCK_ENDS and all(_is_mock_line(tool, line) for line in said)


def _is_mock_line(tool: str, line: str) -> bool:
    about = f"→ 툴 '{tool}' "
    said = line.removeprefix(about)
    return said != line and any(_in_order(said, shape) for shape in _MOCK_LINES)


def _in_order(text: str, pieces: tuple[str, ...]) -> bool:
    """Whether the text starts with the first piece and then has the others, each further on.

    A search for each piece once, so that no text a server makes up can take long.
    """
    if not text.startswith(pieces[0]):
        return False
    at = len(pieces[0])
    for piece in pieces[1:]:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True
