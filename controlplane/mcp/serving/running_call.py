"""A client's call that runs in a task of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from controlplane.mcp.serving.client_call import CallResult, ClientCall, session_of
from controlplane.mcp.serving.user_approval import UserApproval
from controlplane.sandbox.interface import CallError

if TYPE_CHECKING:
    from mcp import types

MakeCall: TypeAlias = Callable[[ClientCall], Awaitable[CallResult]]
"""A function that makes a client's call. It raises `CallError` for a call that cannot be made."""


class RunningCall:
    """A call that runs in a task, and may ask the client's user for approval."""

    def __init__(self, call: ClientCall, approval: UserApproval) -> None:
        self.call = call
        self.approval = approval
        self._task: asyncio.Task[CallResult] | None = None

    @classmethod
    def of_request(
        cls, context: Any, params: types.CallToolRequestParams
    ) -> RunningCall:
        """Return the call of a client's request, not yet started."""
        approval = UserApproval(context)
        call = ClientCall(
            tool=params.name,
            arguments=params.arguments or {},
            session=session_of(context.request),
            approve=approval.approve if approval.is_possible else None,
        )
        return cls(call, approval)

    def start(self, make_call: MakeCall, free_places: asyncio.Semaphore) -> None:
        """Make the call in a new task, as soon as fewer calls run than the server allows."""

        async def answer() -> CallResult:
            async with free_places:
                try:
                    return await make_call(self.call)
                except CallError as error:
                    return CallResult(error.message, failed=True)

        self._task = asyncio.ensure_future(answer())
        self._task.add_done_callback(lambda _task: self.approval.end())

    def result(self) -> CallResult:
        """Return the result of the call, which is over."""
        assert self._task is not None
        return self._task.result()

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
