"""bodyMatchesSchema, structuredContentMatchesSchema: a value and the format's thirteen keywords."""

from collections.abc import Callable, Mapping
from typing import Any

from bundles.report.cut import cut
from bundles.suite.assertions.kind import Kind
from bundles.suite.assertions.seen import Seen
from bundles.suite.diagnostics import describe, extent
from bundles.suite.extraction import Extracted, NotExtracted, extract_body, extract_structured
from bundles.suite.issues import Issues
from bundles.suite.model import Assertion
from bundles.suite.outcomes import (
    BODY_EXTRACTION_FAILED,
    BODY_SCHEMA_MISMATCH,
    STRUCTURED_CONTENT_EXTRACTION_FAILED,
    STRUCTURED_CONTENT_SCHEMA_MISMATCH,
    AssertionOutcome,
)
from bundles.suite.paths import Path
from bundles.suite.redaction import masked_text, quoted
from bundles.suite.schema import match
from bundles.suite.validate_schema import validate_schema


def _kind(
    name: str,
    what: str,
    extract: Callable[[Mapping[str, Any]], Extracted | NotExtracted],
    not_extracted: str,
    mismatch: str,
) -> Kind:
    def judge(assertion: Assertion, seen: Seen) -> AssertionOutcome:
        extracted = extract(seen.result)
        if isinstance(extracted, NotExtracted):
            return AssertionOutcome(
                name,
                "failed",
                not_extracted,
                f"the result has no {what} to compare: {extracted.code}, "
                f"found {quoted(extracted.actual, seen.secrets)}",
                actual=_safe(extracted.actual, seen),
                cause=extracted.code.value,
            )
        found = match(assertion.schema, extracted.value)
        if not found.total:
            return AssertionOutcome(name, "passed")
        return AssertionOutcome(
            name,
            "failed",
            mismatch,
            f"the {what} differs from the expected schema: "
            f"{extent(found.total, len(found.violations))}",
            violations=tuple(describe(each, seen.secrets) for each in found.violations),
            total_violations=found.total,
        )

    return Kind(
        type=name,
        operations=("callTool",),
        members={"schema": {"$ref": "#/$defs/responseSchema"}},
        required={"schema": "a response schema"},
        judge=judge,
        validate=_validate,
    )


def _safe(actual: str | int, seen: Seen) -> str | int:
    """What was there instead; the type of a block is whatever a server calls it."""
    return cut(masked_text(actual, seen.secrets)) if isinstance(actual, str) else actual


def _validate(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
    if "schema" in given:
        validate_schema(given["schema"], path.field("schema"), issues)


BODY_MATCHES_SCHEMA = _kind(
    "bodyMatchesSchema", "body", extract_body, BODY_EXTRACTION_FAILED, BODY_SCHEMA_MISMATCH
)
STRUCTURED_CONTENT_MATCHES_SCHEMA = _kind(
    "structuredContentMatchesSchema",
    "structuredContent",
    extract_structured,
    STRUCTURED_CONTENT_EXTRACTION_FAILED,
    STRUCTURED_CONTENT_SCHEMA_MISMATCH,
)
