"""The questions that MCP clients have asked, each with its run."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelError
from controlplane.errors import ControlPlaneError
from controlplane.mcp.serving.client_offers import AskedQuestion
from controlplane.mcp.serving.client_tools import QUESTION_ID
from controlplane.mcp.serving.tool_turns import ServedSolver, ToolTurns
from controlplane.sandbox.interface import CallError, bounds, error_codes
from controlplane.solver import SolverSpec, SolverTools

UNSTATED_QUESTION: Final = (
    "Work with these files as the client asks, and submit what it wants to know."
)
"""The question of a trial whose client called `execute_script` without calling `begin` first."""
KEPT_QUESTIONS: Final = 200
"""The number of latest questions whose journals clients can read, as resources."""
QUESTION_THREADS: Final = 2 * bounds.MOST_QUESTIONS
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
class BegunTrial:
    """What is known of a question's trial when it has begun."""

    turns: ToolTurns
    """Passes the client's calls to the trial as its turns."""
    first_message: str
    """What a model would be told first: the question, and passages of the files about it."""


class AskingClient:
    """The client of one question, as its trial sees it. It is a `CallingProgram`.

    The trial calls `start` when it begins, and `fault` while it waits for a call.
    Both run in the thread of the question's run.
    """

    def __init__(self) -> None:
        self.has_left = threading.Event()
        """Set when the client leaves without an answer."""
        self.trial: Future[BegunTrial] = Future()
        """Done when the trial has begun."""

    def start(self, turns: ToolTurns, first_message: str) -> None:
        """Record that the trial has begun."""
        self.trial.set_result(BegunTrial(turns, first_message))

    def fault(self) -> Exception | None:
        """Return the error for the trial to raise if no more calls will come; None if some may."""
        if self.has_left.is_set():
            return ModelError("the client left without an accepted answer")
        return None

    def stop(self) -> None:
        """Do nothing: the client may go on with other questions."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a client works on, after its trial has begun."""

    question_id: str
    session: str | None
    """The client's session; None if the protocol names none."""
    client: AskingClient
    trial: BegunTrial

    @property
    def is_over(self) -> bool:
        return self.trial.turns.is_over

    def leave(self) -> None:
        """End the trial without an answer from its client.

        The trial ends in its own thread, soon after this call.
        """
        # If the trial waits for a call, it stops waiting.
        self.client.has_left.set()
        # If another call comes, it is refused.
        self.trial.turns.is_over = True
        # If a script is running, it ends.
        self.trial.turns.session.interrupt("the client left")


class OpenQuestions:
    """The questions of one server. Each is a run with one trial, in its own thread."""

    def __init__(self, conduct: ConductQuestion) -> None:
        self.conduct = conduct
        self.asked: dict[str, AskedQuestion] = {}
        """The latest questions, open or not, by their ids. Clients can read their journals."""
        self._open: dict[str, OpenQuestion] = {}
        """The questions that are being answered, by their ids.

        A question that is over stays until the next one is opened.
        """
        self._threads = ThreadPoolExecutor(QUESTION_THREADS, "question")
        self._lock = threading.Lock()
        """Held while a question is opened, and while the server is closed."""
        self._is_closed = False

    def find(self, question_id: str, session: str | None) -> OpenQuestion | None:
        """Return the open question that a call belongs to; None if there is none.

        A call that names no question belongs to the only open one of its session.
        Raises `CallError` if there are several.
        """
        if question_id:
            question = self._open.get(question_id)
            if question is None or question.is_over:
                return None
            return question

        questions = self._of_session(session)
        if not questions:
            return None
        if len(questions) > 1:
            names = ", ".join(question.question_id for question in questions)
            msg = f"{len(questions)} questions are open: name one as {QUESTION_ID}, of {names}"
            raise _refusal(msg)
        return questions[0]

    def open(self, text: str | None, session: str | None) -> OpenQuestion:
        """Open a question, and wait until its trial has begun.

        `text` is None if the client runs a script without asking a question by `begin`
        first. Raises `CallError` if the question's run cannot begin.
        """
        with self._lock:
            if self._is_closed:
                msg = "this server ends: it opens no further question"
                raise _refusal(msg)
            # A client may run several scripts at once without `begin`.
            # The first one opens a question. The others have waited for the lock,
            # and now belong to that question. `begin` always opens a new one.
            questions = self._of_session(session)
            if text is None and questions:
                return questions[-1]
            self._forget_finished()
            if len(self._open) >= bounds.MOST_QUESTIONS:
                msg = f"{bounds.MOST_QUESTIONS} questions are open: submit the answer of one first"
                raise _refusal(msg)
            question = self._start_run(text or UNSTATED_QUESTION, session)
            self._open[question.question_id] = question
            return question

    def close(self) -> bool:
        """Open no more questions, and end the open ones without an answer from their clients.

        Their runs submit the fallback answer. Return True if all ended within `CLOSE_S`.
        """
        with self._lock:
            self._is_closed = True
        # From here on, `open` raises, so `_open` does not change during the loop.
        for question in self._open.values():
            question.leave()
        runs = [asked.run for asked in self.asked.values()]
        return not wait(runs, bounds.CLOSE_S).not_done  # no run is unfinished

    def _of_session(self, session: str | None) -> list[OpenQuestion]:
        """Return the open questions of a client's session, the oldest first."""
        if session is None:
            return []
        return [
            question
            for question in list(self._open.values())
            if question.session == session and not question.is_over
        ]

    def _forget_finished(self) -> None:
        """Forget the questions that are over, and the oldest journal to make room for one more."""
        for question_id, question in list(self._open.items()):
            if question.is_over:
                del self._open[question_id]
        if len(self.asked) < KEPT_QUESTIONS:
            return
        for question_id, asked in list(self.asked.items()):
            if asked.run.done():
                del self.asked[question_id]
                return

    def _start_run(self, text: str, session: str | None) -> OpenQuestion:
        """Start the run of a question in a thread, and wait until its trial has begun.

        Raises `CallError` if the trial does not begin.
        """
        client = AskingClient()
        # In this order, `journal` is set, `client.trial` is set, and `run` ends. A run
        # that fails may end before the others are set.
        journal: Future[Path] = Future()
        run = self._threads.submit(
            self.conduct, text, _solver_of(client), journal.set_result
        )
        begun_or_ended: list[Future[Any]] = [client.trial, run]
        wait(begun_or_ended, return_when=FIRST_COMPLETED)
        if not client.trial.done():
            error = run.exception()
            reason: object = "its trial did not start"
            if isinstance(error, ControlPlaneError):
                reason = error
            msg = f"the question cannot be opened: {reason}"
            raise _refusal(msg) from error

        question_id = secrets.token_hex(8)
        self.asked[question_id] = AskedQuestion(session, text, journal.result(), run)
        return OpenQuestion(question_id, session, client, client.trial.result())


def _refusal(text: str) -> CallError:
    return CallError(error_codes.INVALID_ARGUMENT, text)


def _solver_of(client: AskingClient) -> SolverSpec:
    """Return a solver that lets the client work on the only trial of a run."""

    def program_for(_session: TrialSession) -> AskingClient:
        return client

    def open_solver(tools: SolverTools) -> ServedSolver:
        return ServedSolver(tools, program_for)

    # The client thinks and writes the scripts, so no model is asked (no `roles`), and no
    # player that writes scripts by rules can take a model's place.
    return SolverSpec(open_solver, roles=(), plays_scripts=False)
