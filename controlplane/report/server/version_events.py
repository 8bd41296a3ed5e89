"""The event streams by which open pages learn that their journals have grown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from controlplane.report.server.addressed_runs import AddressedRuns
from controlplane.report.server.watched_folder import WatchedFolder

BETWEEN_LOOKS_S: Final = 0.5
"""Seconds between two checks for changes, for each open page."""
READING_S: Final = 0.2
"""Seconds for which journals are read in each check."""


class VersionEvents:
    """Answers requests for event streams, which send versions whenever one of them changes."""

    def __init__(self, folder: WatchedFolder) -> None:
        self.folder = folder
        self._addressed = AddressedRuns(folder)

    def of_list(self, request: Request) -> Response:
        """Return the event stream of the list of runs."""

        def read_versions() -> list[int]:
            self.folder.read(seconds=READING_S)
            return [self.folder.version]

        return _event_stream(read_versions)

    def of_runs(self, request: Request) -> Response:
        """Return the event stream of one run, or of several side by side."""
        runs = self._addressed.runs(request, seconds=0)

        def read_versions() -> list[int]:
            self.folder.read(runs, seconds=READING_S)
            return [run.version for run in runs]

        return _event_stream(read_versions)


def _event_stream(read_versions: Callable[[], list[int]]) -> Response:
    lines = _version_lines(read_versions)
    return StreamingResponse(lines, media_type="text/event-stream")


async def _version_lines(read_versions: Callable[[], list[int]]) -> AsyncIterator[str]:
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
