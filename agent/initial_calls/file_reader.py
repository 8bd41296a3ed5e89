"""Reads files by initial calls, each file once.

Initial calls are made before the model is asked, and may run side by side:

    reader.send(["/docs/a.md", "/docs/b.md"])    returns before the files are read
    reader.text("/docs/a.md")                    waits -> "A key is lent for a day."
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.sent_calls import CallUnderWay
from controlplane.agent.initial_calls.call_batches import key_of
from controlplane.agent.initial_calls.sections import result_text
from controlplane.sandbox.interface import Operation, Plain

# Sends the calls for a trial's first message, those that only read side by side.
#
# A call that may change something runs alone, so that the others read either before or after it:
#
#     read /a.md         sent
#     read /b.md         sent beside it
#     exec /bin/init     waits for both, is sent, and ends
#     read /c.md         sent


class _ParallelCalls:
    """Sends calls, as far as possible without waiting for those before."""

    def __init__(self, recorder: Recorder) -> None:
        self._trial_calls = recorder.calls
        self._tool_schema = recorder.tool_schema
        self.sent: list[CallUnderWay] = []
        """The calls in the order in which they were sent. They may still run."""

    def send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Send a call and return it. Its outcome is waited for only if it must run alone."""
        planned = CallRecord.planned(self._tool_schema, operation, arguments)
        if planned.may_change:
            for earlier in self.sent:
                earlier.outcome()
        call = self._trial_calls.send(
            planned, runs_beside_others=not planned.may_change
        )
        self.sent.append(call)
        runs_alone = planned.may_change or not self._tool_schema.reads_side_by_side
        if runs_alone:
            call.outcome()  # The next call is sent after this one has ended.
        return call


# Makes the calls for a trial's first message, before the model is asked, each of them once.
#
# Several parts of the message may need the same file. It is read for the first, and the others get
# the same call:
#
#     calls.send("read", {"path": "/docs/a.md"})    sends the call, which may still run
#     calls.send("read", {"path": "/docs/a.md"})    -> the same call; nothing is sent

_MAX_INITIAL_CALLS: Final = 24
"""With this many calls, no further files are looked for. Declared calls are made even then."""


class InitialCalls:
    """The initial calls of a trial, by their operation and arguments."""

    def __init__(self, recorder: Recorder) -> None:
        self.tool_schema = recorder.tool_schema
        self._calls = _ParallelCalls(recorder)
        self._call_by_key: dict[str, CallUnderWay] = {}

    @property
    def all_calls(self) -> list[CallUnderWay]:
        """The calls in the order in which they were sent."""
        return self._calls.sent

    @property
    def remaining_calls(self) -> int:
        """How many more calls may read files that fit the request."""
        return max(_MAX_INITIAL_CALLS - len(self._calls.sent), 0)

    def send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Return the call with these arguments. It is sent now, unless it was sent before."""
        return self._send_once(key_of(operation, arguments), operation, arguments)

    def send_again(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay:
        """Return the second try of a call that has failed. There is no third one."""
        key = f"{key_of(operation, arguments)} again"
        return self._send_once(key, operation, arguments)

    def sent_call(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | None:
        """Return the first try of the call with these arguments; None if none was sent."""
        return self._call_by_key.get(key_of(operation, arguments))

    def _send_once(
        self, key: str, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay:
        """Return the call that was sent with this key; send it if there is none."""
        call = self._call_by_key.get(key)
        if call is None:
            call = self._calls.send(operation, arguments)
            self._call_by_key[key] = call
        return call


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
