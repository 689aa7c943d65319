"""A call that is cancelled while it runs, over stdio: over HTTP whoever cancels hears no more."""

import asyncio
from collections.abc import Sequence

from bundles.mcp import probes
from bundles.transcript import Exchange
from workers.probes.conversation import Patience
from workers.probes.observation import Line, Observation

_SLOW_S = (0.3, 3.0)
"""Between these a call takes long enough to be cancelled, and not too long to sit out."""

_BEGUN_S = 0.1
_LATE_S = 0.5


async def cancelled_call(
    observation: Observation, line: Line, called: Sequence[Exchange]
) -> list[Exchange]:
    """The first slow one of the safe calls again, cancelled; nothing where none is slow.

    Args:
        observation: the observation.
        line: where the call goes.
        called: the safe calls as they were answered.
    """
    slow = next((call for call in called if _is_slow(call)), None)
    if observation.over_http or slow is None:
        return []
    which = slow.probe.removeprefix(probes.SAFE_CALL)
    probe = f"{probes.CANCELLED}{which}"
    params = {name: slow.request["params"][name] for name in ("name", "arguments")}
    took_s = slow.elapsed_us / 1_000_000
    conversation = await line.get()
    patience = Patience(leaves=True)
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(
            conversation.call(
                probe,
                "tools/call",
                params,
                request_id=probe,
                timeout_s=2 * took_s + _BEGUN_S + _LATE_S,
                patience=patience,
            )
        )
        # no event tells that a call has begun: nothing need be said before it is done
        await asyncio.sleep(_BEGUN_S)
        await conversation.cancel(probe)
        patience.end_in(took_s + _LATE_S, "no answer came after it was cancelled")
    return [observation.tell(asking.result())]


def _is_slow(call: Exchange) -> bool:
    least, most = _SLOW_S
    worked = isinstance(call.result, dict) and call.result.get("isError") is not True
    return worked and least <= call.elapsed_us / 1_000_000 <= most
