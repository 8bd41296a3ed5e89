"""The event stream by which an open page learns that its journals have grown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Final

BETWEEN_LOOKS_S: Final = 0.5
"""Seconds between two checks for changes, for each open page."""


async def version_events(read_versions: Callable[[], list[int]]) -> AsyncIterator[str]:
    """Yield the lines of an event stream, without end."""
    sent_versions = await asyncio.to_thread(read_versions)
    # The page compares this event with its own version, and reloads if they differ.
    yield f"retry: 2000\ndata: {json.dumps(sent_versions)}\n\n"
    while True:
        await asyncio.sleep(BETWEEN_LOOKS_S)
        versions = await asyncio.to_thread(read_versions)
        if versions == sent_versions:
            # This comment line is sent to find out if the browser has closed the page:
            # sending then fails.
            yield ": still here\n\n"
        else:
            sent_versions = versions
            yield f"data: {json.dumps(sent_versions)}\n\n"
