"""Writes the journal of a run whose texts try to break out of an HTML page.

Each text that a model, an environment, a grader or a user may choose ends elements of HTML, and
begins scripts: it is `HOSTILE_MARKUP`.
"""

from pathlib import Path

from controlplane.agent.events import CallEvent, CallFailure, ConversationOpened
from controlplane.journal.run_events import JournalEvent, RunClosed, RunNotice
from tests.controlplane.report.hostile_texts import with_hostile_texts
from tests.controlplane.report.reported_events import run_events
from tests.controlplane.report.reported_steps import ended_call
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.journals.sample_events import write_journal


def hostile_journal(path: Path) -> Path:
    """Write a journal with `HOSTILE_MARKUP` in all texts from outside, and return its path."""
    hostile_events = []
    for event in events_of_all_kinds(run=path.stem):
        fields = with_hostile_texts(event.model_dump())
        hostile_events.append(type(event).model_validate(fields))
    return write_journal(path, hostile_events)


def events_of_all_kinds(run: str) -> list[JournalEvent]:
    """Return the events of a run with one trial, in which everything happens that a journal can
    tell: a failed call, a rejected and an accepted answer, a fallback, a notice, an error."""
    trial = ReportedTrial(
        "h",
        score=0.5,
        details=("no",),
        steps=1,
        rejected_answers=1,
        how="fallback",
        reason="r",
    )
    events: list[JournalEvent] = []
    for event in run_events(run, "first", [trial]):
        if isinstance(event, ConversationOpened):
            events += failed_call_before_the_first_step("h-r0")
        events.append(event)
    events.append(RunNotice(text="n"))
    events.append(RunClosed(how="failed", exit_code=1, error="e"))
    return events


def failed_call_before_the_first_step(trial_id: str) -> list[JournalEvent]:
    """Return the events of a call that fails, made before the conversation opens."""
    begun_call = CallEvent(
        trial_id=trial_id,
        step=0,
        number=0,
        operation="read",
        arguments={},
        state="under_way",
    )
    error = CallFailure(code="c", message="m")
    return [begun_call, ended_call(begun_call, state="failed", error=error)]
