"""The `requestState` a server wants back, where what is recorded of it is masked.

A server may sign the state of a multi-round-trip call as a token. The token is masked in whatever
is recorded, as every credential is; the next round has to carry it as it came.
"""

from collections.abc import Mapping
from typing import Any

_STATE = "requestState"
_MOST = 256
"""States kept for answers nobody has asked for, or not yet: a server may invent ids."""


class RequestStates:
    """The states one conversation has to send back, in memory alone, by the probe they are for."""

    def __init__(self) -> None:
        self._received: dict[Any, tuple[Any, Any]] = {}
        self._of_probe: dict[str, tuple[Any, Any]] = {}

    def keep(self, plain: Mapping[str, Any], masked: Mapping[str, Any]) -> None:
        """Remember the state in an answer if masking has changed it."""
        result, shown = plain.get("result"), masked.get("result")
        answered = plain.get("id")
        if not isinstance(result, dict) or not isinstance(shown, dict):
            return
        if not isinstance(answered, str | int) or result.get(_STATE) == shown.get(_STATE):
            return
        if len(self._received) >= _MOST:
            del self._received[next(iter(self._received))]
        self._received[answered] = (shown.get(_STATE), result[_STATE])

    def belongs(self, request_id: str | int, probe: str) -> None:
        """The answer to a request has come in: its state, if any, is for the probe's next call."""
        state = self._received.pop(request_id, None)
        self._of_probe.pop(probe, None)
        if state is not None:
            self._of_probe[probe] = state

    def real(self, probe: str, shown: Any) -> Any:
        """The state as the server sent it to a probe, from what is recorded of it."""
        state = self._of_probe.get(probe)
        return shown if state is None or state[0] != shown else state[1]

    def lend(self, probe: str, shown: Any, real: Any) -> None:
        """Send `real` with the next call of a probe, where it carries `shown`."""
        self._of_probe[probe] = (shown, real)

    def restored(self, probe: str, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """The request with the state as the server sent it, if it carries the masked one."""
        params = message.get("params")
        state = self._of_probe.get(probe)
        if state is None or not isinstance(params, dict) or params.get(_STATE) != state[0]:
            return message
        return {**message, "params": {**params, _STATE: state[1]}}
