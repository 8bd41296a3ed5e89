"""Servers of the wire in this process notice within 10 ms that they are to end: each of hundreds waits 0.2 s else."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest import mock

TICK_S = 0.01


class _Quick(ModuleType):
    """`asyncio` with short pauses."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    def sleep(delay_s: float) -> Awaitable[None]:
        return asyncio.sleep(min(delay_s, TICK_S))


@contextmanager
def quick_server_ends() -> Iterator[None]:
    """Shorten the pauses between a server's looks at whether it is to end, and before it closes what is idle."""
    with mock.patch("uvicorn.server.asyncio", _Quick("asyncio")):
        yield
