"""How the call of a case went, before anything is asserted of its result."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bundles.mcp.readable import no_answer_to_clients
from bundles.mcp.turned_away import refused_on_the_way
from bundles.mcp.wire import same_id
from bundles.report.cut import cut, escaped, shown
from bundles.suite.javascript import is_number, type_name
from bundles.suite.model import Case
from bundles.suite.outcomes import OperationOutcome
from bundles.suite.redaction import masked_text
from bundles.transcript import Exchange, Failure

_NOT_SENT = (Failure.BUDGET, Failure.UNREACHABLE, Failure.REFUSED_EGRESS)


def judge_operation(
    case: Case, exchanges: Sequence[Exchange], secrets: Sequence[str] = ()
) -> OperationOutcome:
    """How the call went: completed where every page and round has a result.

    `why` is fit to show, secrets masked; `error` is as the server sent it, see `as_reported`. A
    call that is answered with a JSON-RPC error is completed too where the case expects one.
    """
    if not exchanges:
        return OperationOutcome("notRun", "the suite stopped before this case ended")
    if exchanges[0].failure in _NOT_SENT:
        return OperationOutcome("notRun", exchanges[0].note or f"not sent: {exchanges[0].failure}")
    for exchange in exchanges:
        if exchange.failure is Failure.TIMEOUT:
            return OperationOutcome("timedOut", f"no answer within {case.timeout_ms} ms")
        wrong = _failed(exchange, secrets)
        if wrong is not None and wrong.error is not None and case.expects_protocol_error:
            return OperationOutcome("completed", error=wrong.error)
        wrong = wrong or _malformed(case, exchange, last=exchange is exchanges[-1])
        if wrong is not None:
            return wrong
    return _unfinished(case, exchanges) or OperationOutcome("completed")


def as_reported(operation: OperationOutcome, secrets: Sequence[str]) -> OperationOutcome:
    """The outcome with the error it quotes masked, then cut: for reports, once all is judged."""
    error = operation.error
    if error is None:
        return operation
    code, message = error["code"], error["message"]
    quoted = {
        "code": code if is_number(code) or code is None else shown(code),
        "message": cut(masked_text(message, secrets)) if isinstance(message, str) else None,
    }
    return replace(operation, error=quoted)


def is_question(exchange: Exchange) -> bool:
    """Whether a server asks for input before it gives its result (a multi-round trip)."""
    result = exchange.result
    return isinstance(result, dict) and result.get("resultType") == "input_required"


def _failed(exchange: Exchange, secrets: Sequence[str]) -> OperationOutcome | None:
    if exchange.failure is not None:
        return OperationOutcome("failed", f"{exchange.failure}: {exchange.note}".rstrip(": "))
    if why := refused_on_the_way(exchange):
        return OperationOutcome("failed", f"{why} (HTTP {exchange.status})")
    message = exchange.message
    if message is not None and "id" in exchange.request:
        sent, received = exchange.request["id"], message.get("id")
        if not same_id(sent, received):
            why = f"the answer is to id {shown(received)}, the call had id {shown(sent)}"
            return OperationOutcome("failed", why, certain=True)
        if why := no_answer_to_clients(exchange):
            return OperationOutcome("failed", why, certain=True)
    if exchange.error is not None:
        code, text = exchange.error.get("code"), exchange.error.get("message")
        why = f"the server answered with JSON-RPC error {shown(code)}: {_words(text, secrets)}"
        return OperationOutcome("failed", why, {"code": code, "message": text}, certain=True)
    if message is None:
        status = f" (HTTP {exchange.status})" if exchange.status is not None else ""
        why = f"the answer is no JSON-RPC response{status} {exchange.parse_error}".rstrip()
        return OperationOutcome("failed", why, certain=not _is_ours(exchange))
    return None


def _words(text: object, secrets: Sequence[str]) -> str:
    return escaped(cut(masked_text(text, secrets))) if isinstance(text, str) else shown(text)


_OUR_LIMITS = ("JSON_TOO_DEEP", "JSON_STRING_TOO_LONG", "JSON_TOO_MANY_NODES")


def _is_ours(exchange: Exchange) -> bool:
    """Whether a limit of this harness cut the reading short, which says nothing of the server."""
    return exchange.parse_error.startswith(_OUR_LIMITS)


def _malformed(case: Case, exchange: Exchange, *, last: bool) -> OperationOutcome | None:
    result = exchange.result
    if not isinstance(result, dict):
        return OperationOutcome(
            "failed", f"the result is no object but {type_name(result)}", certain=True
        )
    if is_question(exchange):
        # no fault of the server: it may ask, and another case might know the answer
        return OperationOutcome("failed", _unanswered(case, result)) if last else None
    listed = case.operation.listed
    if listed and not isinstance(result.get(listed), list):
        return OperationOutcome("failed", f"the list of {listed} is no array", certain=True)
    return None


def _unfinished(case: Case, exchanges: Sequence[Exchange]) -> OperationOutcome | None:
    """A list of which only a part is known: neither presence nor absence could be told by it."""
    if not case.operation.listed:
        return None
    *before, last = [exchange.result.get("nextCursor") for exchange in exchanges]
    for cursor in (*before, last):
        if cursor is not None and not isinstance(cursor, str):
            why = f"nextCursor of the list is no string but {type_name(cursor)}"
            return OperationOutcome("failed", why, certain=True)
    if last is None:
        return None
    if last in before:
        why = f"the list never ends: cursor {shown(last)} leads to itself"
        return OperationOutcome("failed", why, certain=True)
    why = f"the list does not end within {len(exchanges)} pages, more are not read"
    return OperationOutcome("failed", why)


def _unanswered(case: Case, result: Mapping[str, Any]) -> str:
    requests = result.get("inputRequests")
    asked = ", ".join(
        f"{escaped(cut(str(key)))} ({shown(request.get('method'))})"
        for key, request in (requests.items() if isinstance(requests, dict) else ())
        if isinstance(request, dict)
    )
    known = "has no answers" if not case.answers else "has no answer to it"
    return f"the server asks for input, {asked or 'naming none'}, and the case {known}"
