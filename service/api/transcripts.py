"""Redacted transcripts of a run: the bytes that evidence is about."""

from typing import Any

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from service.api.desk import Caller
from service.api.reads import immutable
from service.api.routes import get
from service.api.wire import PageBody, TranscriptBody, whole


@get("/runs/{run_id:str}/transcripts", needs="evidence:read")
async def list_transcripts(
    caller: NamedDependency[Caller], run_id: FromPath[str]
) -> PageBody[TranscriptBody]:
    """The transcripts of a run, one a stage and profile."""
    found = await caller.ask(caller.registry.run_transcripts, run_id)
    return whole(TranscriptBody.of(each) for each in found)


@get("/runs/{run_id:str}/transcripts/{transcript_id:str}", needs="evidence:read")
async def get_transcript(
    request: Request[Any, Any, Any],
    caller: NamedDependency[Caller],
    run_id: FromPath[str],
    transcript_id: FromPath[str],
) -> Response[bytes]:
    """One transcript: the very bytes its digest is over."""
    content = await caller.ask(caller.registry.run_transcript, run_id, transcript_id)
    return immutable(request, content, tag=transcript_id)


HANDLERS = [list_transcripts, get_transcript]
