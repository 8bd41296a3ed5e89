"""Plays one trial of a phone book without a run around it.

The task is to look up ada's number; the solver here answers "17" at once, which is right:

    played = play_trial(Phonebook(delay_s=0.0))
    played.score  # 1.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane import OpenedBenchmark, PlannedTrial
from controlplane.agent.events import AnswerSent
from controlplane.agent.loop import TrialSession
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.configuration.run_settings import RunSettings
from controlplane.gates.submission import Submission
from controlplane.journal.run_events import JournalEvent, Scored, TrialEnded
from controlplane.lifecycle.resources.run_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trial_lifecycle import run_trial
from controlplane.solver import SolverSpec
from tests.support.phonebook import Phonebook

# The events of a trial that was played or resumed, and what they say of it.


@dataclass(frozen=True)
class PlayedTrial:
    """The trial `ada-0` of the task `ada`, after it was played or resumed.

    Its `event_types` are `["trial_started", "submission_judged", "answer_sent", …, "trial_ended"]`.
    """

    events: list[JournalEvent]
    """What the journal of a run would get, in this order."""

    @property
    def event_types(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def sent_answers(self) -> list[AnswerSent]:
        return [event for event in self.events if isinstance(event, AnswerSent)]

    @property
    def ended_how(self) -> str:
        """How the trial ended: "answered" or "fallback"; empty if it was left open."""
        for event in self.events:
            if isinstance(event, TrialEnded):
                return event.how
        return ""

    @property
    def score(self) -> float | None:
        """The score that the benchmark gave, from 0 to 1; None if it gave none."""
        for event in self.events:
            if isinstance(event, Scored):
                return event.score
        return None


BeforeAnswer = Callable[[TrialSession], None]
"""What a test does in the trial before the solver answers, such as a call of its environment."""


def do_nothing(session: TrialSession) -> None:
    pass


@dataclass
class RightSolver:
    """Calls the test's function, and then gives the right answer, "17"."""

    before_answer: BeforeAnswer

    def solve(self, session: TrialSession) -> str:
        self.before_answer(session)
        answer = Submission(answer="17", outcome="OUTCOME_OK", refs=())
        judgement = session.submit(answer)
        return "" if judgement.accepted else judgement.message


def play_trial(
    benchmark: Phonebook,
    before_answer: BeforeAnswer = do_nothing,
    record: TrialRecord | None = None,
) -> PlayedTrial:
    """Play the trial; with the `record` of an interrupted one, resume it."""
    solver = SolverSpec(lambda tools: RightSolver(before_answer), roles=())
    spec = RunSpec(RunSettings(), opened=OpenedBenchmark(benchmark), solver=solver)
    trial = PlannedTrial("ada-0", "ada")
    events: list[JournalEvent] = []
    with open_resources(spec) as resources:
        run_trial(
            resources, trial, events.append, RunControls(), record or TrialRecord()
        )
    return PlayedTrial(events)
