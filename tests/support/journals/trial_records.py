"""What happened in each trial, from the events of a run.

A journal records a run: it is a file of JSON lines, one for each event.
`trial_records_of(read_events(path))["t01-r0"]` is the record of one trial: its steps, replies and answer.
"""

from collections.abc import Iterable

from controlplane.agent.events import CallEvent, ConversationOpened
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.trial_reader import record_of


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
            opening_step.add(event)
        if isinstance(event, ConversationOpened) and trial_id in opening_steps:
            opening_calls = tuple(opening_steps[trial_id].calls)
            event = event.model_copy(update={"calls": opening_calls})
        trial_events.setdefault(trial_id, []).append(event)
    return {trial_id: record_of(trial_events[trial_id]) for trial_id in trial_events}
