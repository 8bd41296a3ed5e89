"""Makes the calls for a trial's first message, before the model is asked.

They read, for example, the workspace's rules and the files that the request names, so that
the model need not spend its first turns on that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.placed_call import call_to_send
from controlplane.agent.evidence.recorder import Recorder
from controlplane.sandbox.interface import Plain

MAX_INITIAL_CALLS: Final = 24
"""With this many calls, no further files are looked for."""


class InitialCalls:
    """Makes the initial calls of a trial, each of them once, and holds their results.

        call = calls.send("read", {"path": "/docs/a.md"})   may return before the call ends
        calls.result(call)                                  waits -> {"content": "Keys ..."}
        calls.send("read", {"path": "/docs/a.md"})          -> the same call; nothing is sent

    Several calls that only read may run at the same time. A call that may change something
    runs alone.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.tool_schema = recorder.tool_schema
        self._sent: dict[str, CallUnderWay] = {}
        """The calls by key (see `key_of`), in the order in which they were sent. A call that was
        sent again has ` again` at the end of its key."""

    @property
    def remaining_calls(self) -> int:
        """How many more calls may read files that fit the request.

        Calls that the environment declares are made even if none remain, but they count
        towards `MAX_INITIAL_CALLS`, too.
        """
        return max(MAX_INITIAL_CALLS - len(self._sent), 0)

    @property
    def all_calls(self) -> list[CallUnderWay]:
        """The calls in the order in which they were sent."""
        return list(self._sent.values())

    def send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Send a call, and return it. If the same call was sent before, return that one."""
        return self._send_once(key_of(operation, arguments), operation, arguments)

    def send_again(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay:
        """Send a call that has failed a second time, and return the second call."""
        key = f"{key_of(operation, arguments)} again"
        return self._send_once(key, operation, arguments)

    def _send_once(
        self, key: str, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay:
        """Send a call, unless one with this key was sent. Return the call of this key."""
        if key in self._sent:
            return self._sent[key]

        only_reads = not self.tool_schema.may_change(operation, arguments)
        if not only_reads:
            # All earlier calls end first, so that they read what was there before the change.
            self._await_all()
        call = self.recorder.sent_calls.send(
            call_to_send(operation, arguments), runs_beside_others=only_reads
        )
        self._sent[key] = call
        may_run_beside_next = only_reads and self.tool_schema.reads_side_by_side
        if not may_run_beside_next:
            call.outcome()  # waits for the call
        return call

    def _await_all(self) -> None:
        """Wait until all calls that were sent have ended."""
        for call in self._sent.values():
            call.outcome()

    def result(self, call: CallUnderWay) -> Mapping[str, Plain]:
        """Wait for a call and return its result; an empty mapping if it failed."""
        return call.outcome().result or {}

    def sent_call(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | None:
        """Return the call that was sent with these arguments; None if there is none.

        If it was sent again, this is the first one, which has failed.
        """
        return self._sent.get(key_of(operation, arguments))


def key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    """Return a key of a call, in which the order of the arguments does not count.

    `find` with `name="a"` and `root="/"` has the key `find[('name', 'a'), ('root', '/')]`.
    """
    if len(arguments) == 1:  # Most calls have one argument, and need no sorting.
        return f"{operation}{arguments}"
    return f"{operation}{sorted(arguments.items())}"
