"""The session of a trial, as a solver uses it: new, or resumed from the events of an earlier one.

    events = []
    session = session_over(Shelf(), "Which books are by Austen?", recorded=[], new_events=events)
    session.trial.trial_id  # "t"

What happens in the trial is added to `events`; an earlier attempt's events may be given as `recorded`.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.loop import (
    TrialContext,
    TrialSession,
)
from controlplane.agent.record.trial_record import TrialRecord
from tests.support.functions_here import with_functions_in_process
from tests.support.journals.trial_records import trial_records_of

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""The time in the world of the trials."""


def session_over(
    environment: Environment,
    instruction: str,
    *,
    recorded: Sequence[TrialEvent],
    new_events: list[TrialEvent],
) -> TrialSession:
    """Return the trial "t" as a solver uses it.

    Its calls go to `environment`, and what happens in it is added to `new_events`. The steps in
    `recorded`, of an earlier attempt, are repeated from there (a *tape*) without a new call.
    """
    earlier_record = trial_records_of(recorded).get("t", TrialRecord())
    recorder = new_recorder(
        "t", environment, new_events.append, tape=Tape(earlier_record)
    )
    context = TrialContext(
        trial_id="t", task_id="books.0", instruction=instruction, now=NOW
    )
    return TrialSession(context, with_functions_in_process(recorder))
