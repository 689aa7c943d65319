"""What the assertions of a case look at: what came back for it, put together once."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from bundles.suite.extraction import Extracted, NotExtracted, extract_body, extract_resource
from bundles.suite.javascript import sorted_names
from bundles.suite.model import Case
from bundles.suite.outcomes import OperationOutcome
from bundles.transcript import Exchange

SOURCES = ("result", "body")
"""What a pointer may lead into: the whole result, or the one text in it."""


class Seen:
    """One attempt at a case: its exchanges and how the call went."""

    def __init__(
        self,
        case: Case,
        exchanges: Sequence[Exchange],
        operation: OperationOutcome,
        secrets: Sequence[str],
    ) -> None:
        self.case = case
        self.exchanges = exchanges
        self.operation = operation
        self.secrets = secrets

    @property
    def elapsed_us(self) -> int:
        """Microseconds the server took, every page and round of the attempt together."""
        return sum(exchange.elapsed_us for exchange in self.exchanges)

    @cached_property
    def result(self) -> Mapping[str, Any]:
        """The result; of a list, the last page with the entries of every page."""
        last: Mapping[str, Any] = self.exchanges[-1].result
        listed = self.case.operation.listed
        if not listed:
            return last
        return {**last, listed: [e for page in self.exchanges for e in page.result[listed]]}

    def names(self, member: str) -> list[str]:
        """What the entries of a list are called by, sorted, each once."""
        entries = self.result[self.case.operation.listed]
        named = (entry.get(member) for entry in entries if isinstance(entry, dict))
        return sorted_names({name for name in named if isinstance(name, str)})

    def value(self, source: str) -> Extracted | NotExtracted:
        """What a pointer leads into."""
        if source == "result":
            return Extracted(self.result, "json")
        if self.case.operation.type == "readResource":
            return extract_resource(self.result)
        return extract_body(self.result)
