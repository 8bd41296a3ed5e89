"""Events and trials of a journal, read back for a test.

A journal records a run: it is a file of JSON lines, one for each event, such as `run_opened`, a call
of a trial, or a score. `trial_records_of(read_events(path))["t01-r0"]` is what happened in one trial.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from controlplane.agent.events import CallEvent, ConversationOpened
from controlplane.agent.record.step_events import add_event
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.errors import NotAJournal
from controlplane.journal.journal_reader import Journal
from controlplane.journal.run_events import JournalEvent, RunOpened
from controlplane.journal.trial_reader import record_of


def first_line_with(part: bytes, lines: Sequence[bytes]) -> int:
    """Return the index of the first line of a journal with this part, such as `b'"run_started"'`.

    Fails the test if there is none.
    """
    for index, line in enumerate(lines):
        if part in line:
            return index
    raise AssertionError(f"no line with {part!r}")


def read_events(path: Path) -> Iterator[JournalEvent]:
    """Yield every event of a journal in order, with long texts in place of references to them.

    Raises `NotAJournal` at the end of a file without the event that opens a run, and
    `JournalDamaged` at a line that was changed.
    """
    is_opened = False
    for event in Journal(path).read_on():
        if isinstance(event, RunOpened):
            is_opened = True
        yield event
    if not is_opened:
        raise NotAJournal(f"{path} is not a journal: it holds no whole line of one")


def is_announced_call(event: object) -> bool:
    """Return True for the event that announces a call, before the event with its result."""
    return isinstance(event, CallEvent) and event.is_announcement


def trial_records_of(events: Iterable[JournalEvent]) -> dict[str, TrialRecord]:
    """Return each trial's record, by trial id, as if the events had been written and read.

    Calls before the model's first reply have the step number 0, and come before the event
    `ConversationOpened`. A journal has this event without calls; who reads the journal adds them to
    it. So does this function:

        CallEvent(step=0, operation="read"), ConversationOpened(calls=())
        -> CallEvent(step=0, operation="read"), ConversationOpened(calls=(read,))

    The call counts once: at `ConversationOpened`, a record drops the calls that came before.
    """
    trial_events: dict[str, list[JournalEvent]] = {}
    opening_steps: dict[str, TrialStep] = {}
    for event in events:
        trial_id = getattr(event, "trial_id", None)
        if trial_id is None:  # an event of the run
            continue
        if isinstance(event, CallEvent) and event.step == 0:
            opening_step = opening_steps.setdefault(trial_id, TrialStep())
            add_event(opening_step, event)
        if isinstance(event, ConversationOpened) and trial_id in opening_steps:
            opening_calls = tuple(opening_steps[trial_id].calls)
            event = event.model_copy(update={"calls": opening_calls})
        trial_events.setdefault(trial_id, []).append(event)
    return {trial_id: record_of(trial_events[trial_id]) for trial_id in trial_events}
