"""Results that say in words that the call failed. Strict, since a text about an error may be data.

Only the very beginning of a lone text counts, or a JSON object that holds an error and nothing a
success would hold.
"""

import json
import re
from typing import Any

_BEGINS = re.compile(
    r"""\W{0,4}(?:
      (?:(?:fatal|internal|unexpected|validation|runtime)\s)?error
        (?:\s?[:!]|\s(?:occurred|while|executing|calling)\b)
    | \w{0,40}(?:error|exception):
    | exception\soccurred
    | failed(?::|\sto\b)
    | failure:
    | mcp\serror\s-\d
    | traceback\s\(most\srecent\scall\slast\)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_OF_A_FAILURE = frozenset(
    {"error", "errors", "message", "code", "detail", "details", "success", "ok", "status", "type"}
)


def says_failure(result: Any) -> bool:
    """True for a result whose content is the report of a failure, whatever its isError says."""
    if not isinstance(result, dict):
        return False
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    structured = result.get("structuredContent")
    if structured is not None and not _is_report(structured):
        return False
    if structured is not None:
        return True
    return len(texts) == len(blocks) == 1 and isinstance(texts[0], str) and _reports(texts[0])


def _reports(text: str) -> bool:
    if text.lstrip().startswith("{"):
        try:
            return _is_report(json.loads(text))
        except (ValueError, RecursionError):
            return False
    return _BEGINS.match(text) is not None


def _is_report(value: object) -> bool:
    """An object that is about a failure and nothing else."""
    if not isinstance(value, dict) or not value.keys() <= _OF_A_FAILURE:
        return False
    told = value.get("error") or value.get("errors")
    denied = value.get("success") is False or value.get("ok") is False
    return bool(told) or denied or value.get("status") in ("error", "failed", "failure")
