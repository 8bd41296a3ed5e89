"""Remembers the calls that a check has stopped, and decides whether an objection stops a call.

A check, such as the environment's rules, may object to `transfer(amount=500)` before it is sent:
"over the limit". Then the call is *stopped*, and the model may send another instead. The journal:

    call_stopped  number 1  transfer(amount=500)  objection: over the limit
    call_stopped  number 1  transfer(amount=500)  then: done otherwise
    call          number 1  transfer(amount=50)

A stopped call is *open* until a call that is sent shows what became of it. If
`write("/a.md", "x")` was stopped:

    write("/a.md", "x") is sent    `DONE_ALL_THE_SAME`: it is the stopped call
    write("/a.md", "y") is sent    `DONE_OTHERWISE`: the operation and the path are the same
    write("/b.md", "x") is sent    the stopped call is still open
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    CallRecord,
    CallStopped,
)
from controlplane.agent.evidence.tape import TrialJournal

CheckName: TypeAlias = Literal["check", "provenance"]
"""The name of a check in events."""
ENVIRONMENT_CHECK: Final = "check"
"""The environment's pre-call check, a function that knows the environment's rules."""
ORIGIN_RULE: Final = "provenance"
"""The check of origins, which objects to values that only running text has."""
_StopKey: TypeAlias = tuple[CheckName, str]
"""The check that stopped a call, and the call as text."""


def _stop_key(
    check: CheckName, operation: str, arguments: Mapping[str, Any]
) -> _StopKey:
    """Return the key by which a stopped call is recognised when it is made again.

    It does not depend on the order of the arguments:
    `("check", '["move", {"from": "/b", "to": "/a"}]')`.
    """
    return check, json.dumps([operation, arguments], sort_keys=True)


class CallStops:
    """The calls of one trial that a check stopped: they were not sent.

    If a process is killed within a step, the next one repeats the step, and each call of it comes
    again. It is then stopped or sent as the journal says, whatever the check says now.
    """

    def __init__(self, trial_id: str, journal: TrialJournal) -> None:
        """`journal` writes the events of stopped calls, unless they are recorded."""
        self._trial_id = trial_id
        self._journal = journal
        self._stops: dict[_StopKey, CallStopped] = {}
        """Why each call was stopped."""
        self._open: set[_StopKey] = set()
        """The stopped calls of which it is not known what became of them."""

    def has(
        self, check: CheckName, operation: str, arguments: Mapping[str, Any]
    ) -> bool:
        """Return True if a check has stopped the same call before."""
        return _stop_key(check, operation, arguments) in self._stops

    def decide(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> str:
        """Return the objection with which a check stops a call; empty if it may be sent.

        `objection` is what the check says now; empty if it does not object.
        """
        # What the journal has next of a step that is repeated; None in a new step.
        reader = self._journal.reader
        recorded_stop = reader.next_entry(CallStopped)
        if recorded_stop is None and not objection:
            return ""

        stop = self._event(check, operation, arguments, objection)
        if recorded_stop is not None and recorded_stop.action == stop.action:
            # The same call was stopped then, so it is now, with the recorded objection.
            return self._write(stop).objection
        was_not_stopped = reader.next_entry(CallRecord) is not None
        if was_not_stopped:
            # That the check objects now is only noted, as a difference.
            reader.compare(stop.name_in_differences, None, stop.compared)
            return ""
        if objection:
            self._write(stop)
        return objection

    def note_sent(self, operation: str, arguments: Mapping[str, Any]) -> None:
        """Write what becomes of the stopped calls now that this call is sent."""
        for stop, outcome in self._closed_by(operation, arguments):
            event = self._event(stop.by, stop.operation, stop.arguments, "")
            self._write(event.model_copy(update={"then": outcome}))

    def restore(self, event: CallStopped) -> None:
        """Add an event of an earlier, complete step, which is not repeated."""
        self._journal.reader.current_step.stopped.append(event)
        self._learn(event)

    def _event(
        self,
        check: CheckName,
        operation: str,
        arguments: Mapping[str, Any],
        objection: str,
    ) -> CallStopped:
        """Return the event that a check stops the next call of the step."""
        step = self._journal.reader.step_log
        return CallStopped(
            trial_id=self._trial_id,
            step=step.number,
            number=step.call_count,
            operation=operation,
            arguments=dict(arguments),
            by=check,
            objection=objection,
        )

    def _write(self, event: CallStopped) -> CallStopped:
        """Write an event, and return it. If it is recorded, return the recorded one."""
        counting = self._journal.write(event, event)
        self._learn(counting)
        return counting

    def _learn(self, event: CallStopped) -> None:
        """Learn that a call was stopped, or from a later event what became of it."""
        key = _stop_key(event.by, event.operation, event.arguments)
        if event.is_outcome:
            self._open.discard(key)
        else:
            self._stops[key] = event
            # It is open again, if the same call was stopped and closed before.
            self._open.add(key)

    def _closed_by(
        self, operation: str, arguments: Mapping[str, Any]
    ) -> list[tuple[CallStopped, str]]:
        """Return the open stops that a call closes if it is sent now, with what became of them."""
        closed: list[tuple[CallStopped, str]] = []
        for stopped_key, stop in self._stops.items():
            if stopped_key not in self._open or stop.operation != operation:
                continue
            sent_key = _stop_key(stop.by, operation, arguments)
            # Calls without a path, such as `pay(amount=12)`, count as having the same one.
            is_same_path = arguments.get("path") == stop.arguments.get("path")
            repeats_another_stop = sent_key in self._stops
            if sent_key == stopped_key:
                closed.append((stop, DONE_ALL_THE_SAME))
            elif is_same_path and not repeats_another_stop:
                closed.append((stop, DONE_OTHERWISE))
        return closed
