"""A trial of a phone book, with a solver, and with what a run provides to it.

The task is to look up ada's number, 17. A solver, which is usually a model with its scripts, has to
answer it; here it is `RightSolver`, which first calls a function of the test.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from controlplane import OpenedBenchmark, PlannedTrial
from controlplane.agent.loop import TrialSession
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.agent.submission import GateSettings
from controlplane.configuration.run_settings import RunSettings
from controlplane.gates.submission import Submission
from controlplane.lifecycle.resources.notices import Notices
from controlplane.sandbox import ForkServer, Worker
from tests.support.phonebook import Phonebook

PLANNED_TRIAL = PlannedTrial("ada-0", "ada")
"""The trial's id and its task."""

BeforeAnswer = Callable[[TrialSession], None]
"""What a test does in the trial before the solver answers, such as a call of its environment."""


@dataclass
class RightSolver:
    """Calls the test's function, and then gives the right answer, "17"."""

    before_answer: BeforeAnswer

    def solve(self, session: TrialSession) -> str:
        self.before_answer(session)
        answer = Submission(answer="17", outcome="OUTCOME_OK", refs=())
        judgement = session.submit(answer)
        return "" if judgement.accepted else judgement.message


def open_phonebook() -> Phonebook:
    return Phonebook(delay_s=0.0)


def resources_of_run(
    solver: RightSolver, benchmark: Phonebook, server: ForkServer
) -> Any:
    """Return what a run provides to its trials, as far as a trial without a model needs it."""
    no_side_models = SimpleNamespace(ask=None, has_reader=False)
    any_operation_may_be_called = SimpleNamespace(
        check_names=lambda tool_schema: None,
        of=lambda environment: environment.tool_schema,
    )
    process_that_checks_answers = SimpleNamespace(
        worker_of=lambda trial: Worker(server),
        functions_of=lambda session: contextlib.nullcontext(),
    )
    return SimpleNamespace(
        spec=SimpleNamespace(
            settings=RunSettings(), tools=None, makes_initial_prompt=True
        ),
        benchmark=benchmark,
        opened=OpenedBenchmark(benchmark),
        setup=SimpleNamespace(solver=solver, side_models=no_side_models),
        models=SimpleNamespace(context_tokens=None),
        operations=any_operation_may_be_called,
        sandbox=process_that_checks_answers,
        gates=GateSettings(),
        notices=Notices(),
        budget=RunBudget(),
    )
