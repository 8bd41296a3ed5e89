"""Writes the journal of a run whose texts try to break out of an HTML page.

    hostile_journal(folder / "run.jsonl")    # ... "instruction":"</script><script>..." ...

Each text that a model, an environment, a grader or a user may choose is `HOSTILE_MARKUP`, which
ends elements of HTML and begins scripts. Texts that only the product writes, such as the `type` of
an event, are as usual.
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
    for event in events_of_all_kinds(run_id=path.stem):
        fields = with_hostile_texts(event.model_dump())
        hostile_events.append(type(event).model_validate(fields))
    return write_journal(path, hostile_events)


def events_of_all_kinds(run_id: str) -> list[JournalEvent]:
    """Return the events of a run with one trial, in which everything happens that a journal can
    tell: a failed call, a rejected answer, a fallback, a notice, an error."""
    trial = ReportedTrial(
        task="task",
        score=0.5,
        details=("reason of the grader",),
        steps=1,
        rejected_answers=1,
        how="fallback",  # The answer was not the model's own.
        reason="reason of the end",
    )
    events: list[JournalEvent] = []
    for event in run_events(run_id, name="name of the run", trials=[trial]):
        if isinstance(event, ConversationOpened):
            # The product itself makes calls before the conversation with the model opens.
            events += failed_call(event.trial_id)
        events.append(event)
    events.append(RunNotice(text="notice"))
    events.append(RunClosed(how="failed", exit_code=1, error="error of the run"))
    return events


def failed_call(trial_id: str) -> list[JournalEvent]:
    """Return the two events of a call that fails: its announcement and its end."""
    begun_call = CallEvent(
        trial_id=trial_id,
        step=0,
        number=0,
        operation="read",
        arguments={},
        state="under_way",
    )
    error = CallFailure(code="code", message="message")
    return [begun_call, ended_call(begun_call, state="failed", error=error)]
