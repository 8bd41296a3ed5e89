"""The thread in which the asynchronous client of an MCP server runs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client

_Result = TypeVar("_Result")


class ClientThread:
    """Runs a client in its own thread. Trials call the methods from theirs, and wait."""

    def __init__(self, portal: BlockingPortal) -> None:
        self._portal = portal
        """Starts coroutines in the client's thread."""
        self._resources = ExitStack()
        """Closes the client."""

    def open(self, client: Client) -> None:
        """Connect a client to its server. Raises the errors of the client."""
        opening = self._portal.wrap_async_context_manager(client)
        self._resources.enter_context(opening)

    def wait_for(
        self, start: Callable[[], Coroutine[Any, Any, _Result]], limit_s: float
    ) -> _Result:
        """Return the result of a coroutine, which `start` begins in the client's thread.

        Raises `TimeoutError` after `limit_s` seconds, and the errors of the coroutine.
        """
        result: Future[_Result] = self._portal.start_task_soon(start)
        try:
            return result.result(limit_s)
        finally:
            result.cancel()  # has no effect if the request has ended

    def close(self) -> None:
        """Close the client, even if its server has already died."""
        with suppress(Exception):
            self._resources.close()
