"""Reads files by initial calls, each file once.

Initial calls are made before the model is asked, and may run side by side:

    reader.send(["/docs/a.md", "/docs/b.md"])    returns before the files are read
    reader.text("/docs/a.md")                    waits -> "A key is lent for a day."
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import result_text
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.sandbox.interface import Operation


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads files with one operation, for example `read(path="/docs/a.md")`.

    The operation's `subject` is the name of the parameter that has the path: `path`.
    """

    calls: InitialCalls
    operation: Operation | None
    """None if the environment has no operation for these files. Then none is read."""

    def send(self, paths: Iterable[str], max_files: int | None = None) -> None:
        """Send calls that read the first `max_files` of these files, or all of them.

        Files that were read before are passed over. If fewer calls are left for the trial,
        fewer files are read.
        """
        if self.operation is None:
            return
        file_count = self.calls.remaining_calls
        if max_files is not None:
            file_count = max(min(max_files, file_count), 0)
        unread = [path for path in paths if self.call_for(path) is None]
        for path in unread[:file_count]:
            self.calls.send(self.operation.name, {self.operation.subject: path})

    def call_for(self, path: str) -> CallUnderWay | None:
        """Return the call that reads a file; None if none was sent."""
        if self.operation is None:
            return None
        return self.calls.sent_call(self.operation.name, {self.operation.subject: path})

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Wait for the texts of files, by path. Files that were not read are left out."""
        texts: dict[str, str] = {}
        for path in paths:
            text = self.text(path)
            if text is not None:
                texts[path] = text
        return texts

    def text(self, path: str) -> str | None:
        """Wait for the text of a file; None if it was not read, or its call failed."""
        call = self.call_for(path)
        if self.operation is None or call is None:
            return None
        result = call.result()
        if not result:
            return None
        return result_text(self.operation, result)
