"""What is said of a case and of each of its assertions, in any language."""

from collections.abc import Mapping

from bundles.reasons import next_step
from bundles.report.cut import cut, escaped, shown
from bundles.suite.diagnostics import SHOWN_KEYS, sentence
from bundles.suite.language import Words
from bundles.suite.outcomes import AssertionOutcome, OperationOutcome

_SENTENCE = 1000


def said(text: str) -> str:
    """A sentence somebody else wrote: one safe line, cut where it is very long."""
    return escaped(cut(text, _SENTENCE))


def said_of_assertion(assertion: AssertionOutcome, words: Words) -> str:
    """The sentence of an assertion that failed or was skipped."""
    message = said(assertion.message)
    template = _template(assertion, words.outcomes)
    if template is None:
        return message
    found = assertion.actual if isinstance(assertion.actual, list) else []
    values = {
        "message": message,
        "expected": _value(assertion.expected),
        "actual": _value(assertion.actual),
        "found": listed([f"'{escaped(cut(str(name)))}'" for name in found], words),
        "total": assertion.total_violations,
        "listed": len(assertion.violations),
    }
    return template.format(**values)


def _template(assertion: AssertionOutcome, outcomes: Mapping[str, str]) -> str | None:
    """The sentence of the code and its cause; without one of its own, that of the code alone."""
    cause = assertion.cause
    if assertion.total_violations > len(assertion.violations):
        cause = "some"
    elif assertion.expected is True:
        cause = "expected"
    return outcomes.get(f"{assertion.code}.{cause}", outcomes.get(assertion.code))


def said_of_operation(operation: OperationOutcome, words: Words) -> str:
    """The sentence of a call that did not complete."""
    why = said(operation.why)
    template = words.outcomes.get(operation.code)
    return why if template is None else template.format(why=why)


def details_of(assertion: AssertionOutcome, words: Words) -> list[str]:
    """What differs, one line each: the violations, else what the server answered."""
    violations = [sentence(violation, words) for violation in assertion.violations]
    return violations or list(assertion.notes)


def step_for(code: str, words: Words) -> str:
    """What to do about a code."""
    return words.steps.get(code) or next_step(code)


def listed(names: list[str], words: Words) -> str:
    """Names in one line, at most twenty of them, and how many more there are."""
    beyond = len(names) - SHOWN_KEYS
    more = words("more", more=beyond) if beyond > 0 else ""
    return (", ".join(names[:SHOWN_KEYS]) or words("none")) + more


def _value(value: object) -> str:
    return escaped(cut(value)) if isinstance(value, str) else shown(value)
