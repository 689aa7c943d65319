"""What of a tool result a schema assertion looks at, or why there is nothing to look at."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.report.cut import compact
from bundles.suite import reading
from bundles.suite.javascript import type_name


class ExtractionCode(StrEnum):
    """Why there is nothing to compare with the schema."""

    CONTENT_NOT_ARRAY = "CONTENT_NOT_ARRAY"
    CONTENT_BLOCK_COUNT = "CONTENT_BLOCK_COUNT"
    CONTENT_BLOCK_NOT_TEXT = "CONTENT_BLOCK_NOT_TEXT"
    CONTENT_TEXT_MISSING = "CONTENT_TEXT_MISSING"
    STRUCTURED_CONTENT_MISSING = "STRUCTURED_CONTENT_MISSING"


@dataclass(frozen=True, slots=True)
class Extracted:
    """A value to compare: `form` is "json" for structure, "text" for a string."""

    value: Any
    form: str


@dataclass(frozen=True, slots=True)
class NotExtracted:
    """Nothing to compare, why, and what was there instead (a JSON type, a count, a block type)."""

    code: ExtractionCode
    actual: str | int


def extract_body(result: Mapping[str, Any]) -> Extracted | NotExtracted:
    """The body: the text of the only content block, parsed when it is a JSON object or array.

    Scalars stay text: `21` is the string "21".
    """
    content = result.get("content")
    if not isinstance(content, list):
        return NotExtracted(ExtractionCode.CONTENT_NOT_ARRAY, _found(result, "content"))
    if len(content) != 1:
        return NotExtracted(ExtractionCode.CONTENT_BLOCK_COUNT, len(content))
    block = content[0]
    if not isinstance(block, dict):
        return NotExtracted(ExtractionCode.CONTENT_BLOCK_NOT_TEXT, type_name(block))
    if block.get("type") != "text":
        return NotExtracted(ExtractionCode.CONTENT_BLOCK_NOT_TEXT, _block_type(block))
    return _text_of(block)


def extract_resource(result: Mapping[str, Any]) -> Extracted | NotExtracted:
    """The body of a resource that was read: the text of the only item of `contents`."""
    contents = result.get("contents")
    if not isinstance(contents, list):
        return NotExtracted(ExtractionCode.CONTENT_NOT_ARRAY, _found(result, "contents"))
    if len(contents) != 1:
        return NotExtracted(ExtractionCode.CONTENT_BLOCK_COUNT, len(contents))
    if not isinstance(contents[0], dict):
        return NotExtracted(ExtractionCode.CONTENT_BLOCK_NOT_TEXT, type_name(contents[0]))
    return _text_of(contents[0])


def _text_of(block: Mapping[str, Any]) -> Extracted | NotExtracted:
    text = block.get("text")
    if not isinstance(text, str):
        return NotExtracted(ExtractionCode.CONTENT_TEXT_MISSING, _found(block, "text"))
    try:
        parsed = reading.parse(text)
    except json.JSONDecodeError:
        return Extracted(text, "text")
    if isinstance(parsed, dict | list):
        return Extracted(parsed, "json")
    return Extracted(text, "text")


def extract_structured(result: Mapping[str, Any]) -> Extracted | NotExtracted:
    """The structuredContent, `null` included; text never stands in for it."""
    if "structuredContent" not in result:
        return NotExtracted(ExtractionCode.STRUCTURED_CONTENT_MISSING, "undefined")
    return Extracted(result["structuredContent"], "json")


def _block_type(block: Mapping[str, Any]) -> str:
    """The block's type as written: a name, or what stands in its place."""
    kind = block.get("type")
    if isinstance(kind, str):
        return kind
    scalar = "type" in block and not isinstance(kind, dict | list)
    return compact(kind) if scalar else _found(block, "type")


def _found(owner: Mapping[str, Any], name: str) -> str:
    return type_name(owner[name]) if name in owner else "undefined"
