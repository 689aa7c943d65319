"""The report of a run, in the forms that people, pipelines and code hosts read."""

from typing import Annotated, Any, Literal

import orjson
from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from bundles.lock import published
from bundles.report import Report, html, json_document, junit, sarif, text
from bundles.verdict import Verdict
from service.admission.model import Page, Run
from service.api.desk import Caller
from service.api.routes import ANY_TOKEN, get

_PAGE = 200

_RENDER: dict[str, Any] = {
    "json": (
        "application/json",
        lambda report: orjson.dumps(json_document.document(report), option=orjson.OPT_INDENT_2),
    ),
    "junit": ("application/xml", junit.render),
    "sarif": ("application/sarif+json", sarif.render),
    "text": ("text/plain; charset=utf-8", text.render),
    "html": ("text/html; charset=utf-8", html.render),
}

# A page quotes strangers and comes from this origin: a browser is to run and load nothing.
_HEADERS = {"content-security-policy": html.POLICY}


@get("/runs/{run_id:str}/report", needs=ANY_TOKEN)
async def get_report(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    run_id: FromPath[str],
    format_: Annotated[
        Literal["json", "junit", "sarif", "text", "html"] | None, QueryParameter(name="format")
    ] = None,
) -> Response[Any]:
    """The report of a run as json, junit, sarif, text or html, by `format` or else by Accept.

    A run that is not over reports INCONCLUSIVE: what is not known yet is never yes.
    """
    run = await caller.ask(caller.registry.get_run, run_id)
    outcomes = await caller.ask(caller.registry.run_outcomes, run_id)
    findings = await _all_findings(caller, run_id)
    media_type, render = _RENDER[format_ or _accepted(request.headers.get("accept", ""))]
    report = _report(run, [dict(o) for o in outcomes], findings)
    return Response(await caller.desk.hop(render, report), media_type=media_type, headers=_HEADERS)


def _accepted(accept: str) -> str:
    """The form of the first media type that is one of a report; json where none is."""
    kinds = {told.partition(";")[0]: form for form, (told, _) in _RENDER.items()}
    asked = (each.partition(";")[0].strip().lower() for each in accept.split(","))
    return next((kinds[kind] for kind in asked if kind in kinds), "json")


async def _all_findings(caller: Caller, run_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    page: Page | None = None
    while page is None or page.next:
        page = await caller.ask(
            caller.registry.run_findings,
            run_id,
            cursor=page.next if page else None,
            limit=_PAGE,
        )
        found += [dict(item) for item in page.items]
    return found


def _report(run: Run, outcomes: list[dict[str, Any]], findings: list[dict[str, Any]]) -> Report:
    known = published().get(run.reason_code or "")
    facts = {
        "run": run.id,
        "candidate": run.candidate_id,
        "state": run.state.value,
        "reason_code": run.reason_code,
        "detail": run.detail,
        "next": known.next_step if known else None,
        **{f"{s.stage} {s.profile}": s.verdict or "not concluded" for s in run.stages},
    }
    return Report(
        title=f"run {run.id}",
        subject=run.candidate_id,
        verdict=run.verdict or Verdict.INCONCLUSIVE.value,
        outcomes=outcomes,
        findings=findings,
        facts={name: value for name, value in facts.items() if value is not None},
    )


HANDLERS = [get_report]
