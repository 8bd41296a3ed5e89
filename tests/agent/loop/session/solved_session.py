"""Lets a solver work on a trial, from its start or from where it was interrupted.

A *solver* makes calls, asks a model, checks citations and submits answers by a `TrialSession`. Each of
these is an event of the trial's journal:

    events = events_of(solve)              # a whole trial
    further = events_of(solve, events[:4])  # resumed after the fourth event
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.loop import TrialContext, TrialSession, new_session
from controlplane.agent.model import Message, ModelError, ModelRequest, Reply, Usage
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.gates.submission import Submission
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.read_events import trial_records_of

TRIAL = TrialContext(
    "run1-0",
    "tally.0",
    "Check out, and answer with the word only.",
    datetime(2031, 5, 4, tzinfo=UTC),
)
MESSAGES: list[Message] = [{"role": "user", "content": "which word?"}]

Solver = Callable[[TrialSession], None]
"""Works on a trial from its start to its end."""


def events_of(
    solver: Solver,
    recorded_events: Sequence[TrialEvent] = (),
    *,
    max_cost_usd: float | None = None,
) -> list[TrialEvent]:
    """Let a solver work on the trial, and return the new events.

    With recorded events, the trial is a resumed one. The solver does all its work again, and gets
    the recorded results of what these events record, without a new event.
    """
    # A file /note.txt says "the word is heron", and the program /bin/checkout changes something.
    environment = EffectCounterBenchmark(1).start_trial(TRIAL.trial_id).environment
    # The tape gives the session what is recorded, instead of letting it do it again.
    record = trial_records_of(recorded_events).get(TRIAL.trial_id, TrialRecord())
    events: list[TrialEvent] = []
    recorder = new_recorder(
        TRIAL.trial_id, environment, events.append, tape=Tape(record)
    )
    session = new_session(replace(TRIAL, max_cost_usd=max_cost_usd), recorder)
    solver(session)
    session.steps.end()
    return events


class CountingModel:
    """A model that counts its requests, and replies to each for a quarter of a dollar."""

    paid_reply = Reply(
        text="the word is heron",
        usage=Usage(prompt_tokens=3, completion_tokens=2),
        cost_usd=0.25,
    )

    def __init__(self) -> None:
        self.request_count = 0

    def reply(self, request: ModelRequest) -> Reply:
        self.request_count += 1
        return self.paid_reply

    def fail_with_price(self, request: ModelRequest) -> Reply:
        """Fail as an endpoint does whose reply has no text but must be paid."""
        self.request_count += 1
        error = ModelError("the reply has no text")
        error.paid = self.paid_reply
        raise error


def submission_citing(path: str, reason: str) -> Submission:
    """Return a submission of the right answer that cites one file."""
    return Submission(answer="heron", outcome="OUTCOME_OK", refs_why={path: reason})


def solve_in_one_step(session: TrialSession, model: CountingModel) -> None:
    """Make two calls, two citations, two requests to the model, and two submissions.

    The first citation is of a file that was not read, and the first submission is rejected.
    """
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    for _ in range(2):
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
    rejected = session.submit(submission_citing("/draft.txt", "?"))
    assert not rejected.accepted

    session.call("exec", {"path": "/bin/checkout", "args": [], "stdin": ""})
    reason = "the note says that the word is heron"
    path = session.check_citation("/note.txt", reason)
    accepted = session.submit(submission_citing(path, reason))
    assert accepted.accepted
