"""The work of one call: done in a thread, with errors translated to those of Connect.

The server is asynchronous, but the methods of its services block. So each call waits for its
turn, runs in a thread, and its errors become replies that clients understand.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import RequestContext

from controlplane.benchmark import BenchmarkError
from controlplane.benchmarks.bitgn.server.message_fields import Fields
from controlplane.sandbox.interface import CallError, bounds

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one call: a function, and the threads and semaphores that it needs."""

    handle: Callable[[], Fields]
    """Does the work in a thread and returns the reply's fields."""
    threads: ThreadPoolExecutor
    semaphores: list[asyncio.Semaphore]
    """The semaphores to acquire, in this order. They are held until the call is done."""


async def result_of(work: Work, context: RequestContext[Any, Any]) -> Fields:
    """Wait for the result of a call. Raises `ConnectError`.

    If the client disconnects, the call still finishes and keeps its semaphores.
    Otherwise the next call could meet a half-made change.
    """
    task = asyncio.create_task(_do(work))
    task.add_done_callback(_mark_error_as_seen)
    try:
        return await asyncio.shield(task)
    except (BenchmarkError, CallError) as error:
        # Only a `BenchmarkError` may say after which pause the client may try again.
        pause_s = getattr(error, "retry_after_s", None)
        if pause_s is not None:
            context.response_headers["retry-after"] = f"{pause_s:g}"
        # The error refers by its traceback to this function, and `task` here to the error.
        # Such a cycle would keep the request in memory for longer.
        error.__traceback__ = None
        msg = error.message[: bounds.MOST_REFUSAL_CHARS]
        raise ConnectError(_code_of(error), msg) from None
    except Exception as error:  # noqa: BLE001 - the server must survive any failure of one request
        _log.exception("a call failed")
        msg = f"the server failed: {type(error).__name__}"
        raise ConnectError(Code.INTERNAL, msg) from None


async def _do(work: Work) -> Fields:
    """Acquire the semaphores of a call, and then run it in a thread."""
    async with AsyncExitStack() as stack:
        for semaphore in work.semaphores:
            await stack.enter_async_context(semaphore)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(work.threads, work.handle)


def _mark_error_as_seen(task: asyncio.Task[Fields]) -> None:
    """Fetch the error of a call. Its client may have left, and asyncio logs unfetched errors."""
    if not task.cancelled():
        task.exception()


def _code_of(error: BenchmarkError | CallError) -> Code:
    """Return Connect's code for an error; `INTERNAL` if its own code is unknown."""
    try:
        return Code(error.code)
    except ValueError:
        return Code.INTERNAL
