"""The desk: what every endpoint works with, and its one way into the synchronous registry.

Endpoints are `async` and hop into a thread once a call. The limiter has as many places as the
store has connections, so that no thread ever waits for one.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from litestar import Request

from service.admission.model import Principal
from service.admission.registry import Registry
from service.api.watch import Watch
from service.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """Made once an application, shared by all requests."""

    registry: Registry
    settings: Settings
    limiter: CapacityLimiter
    submissions: CapacityLimiter
    watch: Watch = field(repr=False)

    @classmethod
    def of(cls, registry: Registry, settings: Settings) -> "Desk":
        """The desk of one process.

        Submissions work long in their thread: half of the places stay free for everything else.
        """
        places = settings.db_pool_size
        limiter = CapacityLimiter(places)
        watch = Watch(
            lambda runs, candidates: to_thread.run_sync(
                partial(registry.changed_since, runs=runs, candidates=candidates), limiter=limiter
            ),
            settings.poll_ms / 1000,
        )
        return cls(registry, settings, limiter, CapacityLimiter(-(-places // 2)), watch)

    async def hop(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking call in a thread, one of as many as there are connections."""
        return await to_thread.run_sync(partial(function, *args, **kwargs), limiter=self.limiter)

    def judging(self, *, due: bool) -> AbstractAsyncContextManager[object]:
        """A place among those that judge a bundle, as few as submit one; none where none is due."""
        return self.submissions if due else nullcontext()

    async def authenticate(self, bearer: str) -> Principal:
        """The principal of a token. Raises Unauthorised."""
        return await self.hop(self.registry.authenticate, bearer)


@dataclass(frozen=True, slots=True)
class Caller:
    """One request's principal at the desk."""

    desk: Desk
    principal: Principal

    @property
    def registry(self) -> Registry:
        """The use cases; call them through `ask`."""
        return self.desk.registry

    async def ask(
        self,
        use_case: Callable[Concatenate[Principal, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Call a use case as this principal, off the event loop."""
        return await self.desk.hop(use_case, self.principal, *args, **kwargs)


async def provide_caller(request: Request[Principal, Any, Any]) -> Caller:
    """The caller, as endpoints receive it."""
    return Caller(request.app.state.desk, request.user)
