"""Starts the run of a question in a thread, and waits until its trial has begun."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from controlplane.errors import ControlPlaneError
from controlplane.mcp.questions.asking_client import AskingClient
from controlplane.mcp.serving.served_solver import solver_by_calls
from controlplane.sandbox.interface import CallError, bounds, error_codes
from controlplane.solver import SolverSpec

QUESTION_THREADS: Final = 2 * bounds.MOST_OPEN_QUESTIONS
"""The number of threads for the runs of questions: the open ones, and as many that are ending."""


class ConductQuestion(Protocol):
    """A function that plays a question."""

    def __call__(
        self, question: str, solver: SolverSpec, set_journal: Callable[[Path], None]
    ) -> None:
        """Play a question as a run of one trial, and return when the run has ended.

        `set_journal` is called with the path of the run's journal before the trial
        begins. Raises `ControlPlaneError` if the run is not possible.
        """


@dataclass(frozen=True, slots=True)
class StartedQuestion:
    """A question whose trial has begun."""

    client: AskingClient
    journal: Path
    run: Future[None]
    """Done when the run has ended."""


class QuestionStarter:
    """Starts the runs of questions, each in a thread of its own."""

    def __init__(self, conduct: ConductQuestion) -> None:
        self.conduct = conduct
        self._threads = ThreadPoolExecutor(QUESTION_THREADS, "question")

    def start(self, text: str) -> StartedQuestion:
        """Start the run of a question. Raises `CallError` if its trial does not begin."""
        client = AskingClient()
        solver = solver_by_calls(lambda _session: client)
        # In this order, `journal` is set, `client.trial` is set, and `run` ends. A run
        # that fails may end before the others are set.
        journal: Future[Path] = Future()
        run = self._threads.submit(self.conduct, text, solver, journal.set_result)
        begun_or_ended: list[Future[Any]] = [client.trial, run]
        wait(begun_or_ended, return_when=FIRST_COMPLETED)
        if client.trial.done():
            return StartedQuestion(client, journal.result(), run)

        error = run.exception()
        reason: object = "its trial did not start"
        if isinstance(error, ControlPlaneError):
            reason = error
        msg = f"the question cannot be opened: {reason}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg) from error
