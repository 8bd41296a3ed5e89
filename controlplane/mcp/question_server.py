"""`controlplane mcp`: MCP clients ask questions about files, and answer them by
scripts.

All questions are about one folder of files. Each question is a run with one trial, in
its own thread. The client takes the place of the model: it calls `execute_script` and
`submit_answer` where a model would reply.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelError
from controlplane.errors import ControlPlaneError
from controlplane.mcp.client_offers import AskedQuestion, offers
from controlplane.mcp.client_tools import (
    BEGIN,
    CHANGING,
    EXECUTE,
    QUESTION_ID,
    check_question_call,
    question_tools,
)
from controlplane.mcp.offered_server import ServerOffer, offered_server
from controlplane.mcp.tool_turns import CallResult, ClientCall, ServedSolver, ToolTurns
from controlplane.sandbox.interface import CallError, ToolSchema, bounds, error_codes
from controlplane.solver import SolverSpec, SolverTools

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

INVALID: Final = error_codes.INVALID_ARGUMENT
UNSTATED_QUESTION: Final = (
    "Work with these files as the client asks, and submit what it wants to know."
)
"""The question of a trial whose client called `execute_script` without calling `begin`
first."""
INSTRUCTIONS: Final = (
    "`begin(question)` opens a question about the files; answer it by scripts, then "
    "`submit_answer`."
)
KEPT_QUESTIONS: Final = 200
"""The number of latest questions whose journals clients can read, as resources."""
QUESTION_THREADS: Final = 2 * bounds.MOST_QUESTIONS
"""The number of threads for the runs of questions: the open ones, and as many that are
ending."""


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
class _TrialBeginning:
    """The parts of a question's trial that are known after it has begun."""

    turns: ToolTurns
    """Passes the client's calls to the trial as its turns."""
    first_message: str
    """What a model would be told first: the question, and passages of the files about
    it."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a client works on. It is created when the question's trial has
    begun."""

    question_id: str
    session: str | None
    """The client's session; None if the protocol names none."""
    client: _AskingClient
    trial: _TrialBeginning

    @property
    def turns(self) -> ToolTurns:
        return self.trial.turns


class _AskingClient:
    """The client of one question, as its trial uses it (a `CallingProgram`).

    It is created before the question's run starts. The thread of the run calls its
    methods.
    """

    def __init__(self) -> None:
        self.has_left = threading.Event()
        self.trial_beginning: Future[_TrialBeginning] = Future()
        """Has its result when the trial has begun."""

    def start(self, turns: ToolTurns, first_message: str) -> None:
        """Record that the trial has begun."""
        self.trial_beginning.set_result(_TrialBeginning(turns, first_message))

    def fault(self) -> Exception | None:
        """Return why no more calls will come; None while calls may come."""
        if self.has_left.is_set():
            return ModelError("the client left without an accepted answer")
        return None

    def stop(self) -> None:
        """Do nothing: the client may go on with other questions."""


class QuestionServer:
    """Handles the calls of MCP clients, and opens the questions that the calls belong
    to.

    One server exists for the life of `controlplane mcp`. `close` ends its questions.
    """

    def __init__(
        self, tool_schema: ToolSchema, folder: Path, conduct_question: ConductQuestion
    ) -> None:
        """Serve questions about the files of a folder.

        `tool_schema` declares the calls that the scripts of each question may make.
        """
        self.tool_schema = tool_schema
        self.folder = folder
        self.conduct_question = conduct_question
        self._open: dict[str, OpenQuestion] = {}
        """The questions that are being answered, by their ids. Some may already be
        over."""
        self._asked: dict[str, AskedQuestion] = {}
        """The latest questions, open or not, by their ids. Clients can read their
        journals."""
        self._threads = ThreadPoolExecutor(QUESTION_THREADS, "question")
        self._lock = threading.Lock()
        """Held while a question is opened, and while the server is closed."""
        self._is_closed = False

    @property
    def server(self) -> Server[Any]:
        """The MCP server of this process."""
        changes = any(
            operation.effect in CHANGING for operation in self.tool_schema.operations
        )
        offer = ServerOffer(
            tools=question_tools(self.tool_schema),
            instructions=INSTRUCTIONS,
            reading=(BEGIN,) if changes else (BEGIN, EXECUTE),
            handlers=offers(self._asked),
        )
        return offered_server(offer, self.call)

    # --- Calls ---

    async def call(self, call: ClientCall) -> CallResult:
        """Make one call of a client. Raises `CallError` for a call that cannot be
        made."""
        if call.tool == BEGIN:
            return await self._begin(call)
        arguments = dict(call.arguments)
        question_id = str(arguments.pop(QUESTION_ID, "") or "")
        call = replace(call, arguments=arguments)
        check_question_call(
            call.tool, arguments
        )  # An invalid call must not open a question.

        note = ""
        question = self._question_of(question_id, call.session)
        if question is None:
            # A client may run a script without `begin`. This opens a question without a
            # text.
            opens_question = call.tool == EXECUTE and not question_id
            if not opens_question:
                raise CallError(INVALID, _not_open_text(question_id))
            question = await self._open_question(None, call.session)
            note = f"({QUESTION_ID} {question.question_id})\n"
        result = await question.turns.result_of(call)
        return CallResult(note + result.text, result.failed, question.question_id)

    async def _begin(self, call: ClientCall) -> CallResult:
        """Open a question, and tell the client what to do next."""
        text = str(call.arguments.get("question") or "").strip()
        if not text:
            raise CallError(
                INVALID, "begin takes question, what is to be answered from the files"
            )
        question = await self._open_question(text, call.session)
        question_id = question.question_id
        code = "print(harness.passages('words of the files').shown)"
        example = f'{EXECUTE}({QUESTION_ID}="{question_id}", code="{code}")'
        return CallResult(
            f"{QUESTION_ID} {question_id}\n"
            f"The files of {self.folder} are below `/`. Next: {example}\n\n"
            f"{question.trial.first_message}",
            question_id=question_id,
        )

    def _question_of(
        self, question_id: str, session: str | None
    ) -> OpenQuestion | None:
        """Return the open question that a call belongs to; None if there is none.

        A call that names no question belongs to the only open one of its session.
        Raises `CallError` if there are several.
        """
        if not question_id:
            own_ids = self._open_ids_of(session)
            if len(own_ids) > 1:
                names = ", ".join(own_ids)
                raise CallError(
                    INVALID,
                    f"{len(own_ids)} questions are open: name one as {QUESTION_ID}, of {names}",
                )
            if not own_ids:
                return None
            question_id = own_ids[0]
        question = self._open.get(question_id)
        if question is None or question.turns.is_over:
            return None
        return question

    def _open_ids_of(self, session: str | None) -> list[str]:
        """Return the ids of the open questions of a client's session."""
        ids = []
        for question_id, question in list(self._open.items()):
            is_own = session is not None and question.session == session
            if is_own and not question.turns.is_over:
                ids.append(question_id)
        return ids

    # --- Opening and closing ---

    async def _open_question(
        self, text: str | None, session: str | None
    ) -> OpenQuestion:
        """Open a question. Its text is None if a script was called without `begin`.

        Raises `CallError` if the question's run cannot begin.
        """
        from anyio.to_thread import run_sync

        # Opening takes a while, in which the server has to answer other requests.
        return await run_sync(self._open_now, text, session, abandon_on_cancel=True)

    def _open_now(self, text: str | None, session: str | None) -> OpenQuestion:
        """Do what `_open_question` does, in the present thread."""
        with self._lock:
            if self._is_closed:
                raise CallError(
                    INVALID, "this server ends: it opens no further question"
                )
            # A client may run several scripts at once without `begin`. The first one
            # opens a question. The others have waited for the lock, and now belong to
            # that question.
            own_ids = self._open_ids_of(session)
            if text is None and own_ids:
                return self._open[own_ids[-1]]
            self._forget_finished()
            if len(self._open) >= bounds.MOST_QUESTIONS:
                raise CallError(
                    INVALID,
                    f"{bounds.MOST_QUESTIONS} questions are open: submit the answer of one first",
                )
            question = self._start_run(text or UNSTATED_QUESTION, session)
            self._open[question.question_id] = question
            return question

    def _forget_finished(self) -> None:
        """Remove the oldest finished questions to make room for one more."""
        for question_id, question in list(self._open.items()):
            if question.turns.is_over:
                del self._open[question_id]
        if len(self._asked) < KEPT_QUESTIONS:
            return
        # Remove the oldest finished one, which comes first.
        for question_id, asked in list(self._asked.items()):
            if asked.run.done():
                del self._asked[question_id]
                return

    def _start_run(self, text: str, session: str | None) -> OpenQuestion:
        """Start the run of a question in a thread, and wait until its trial has begun.

        Raises `CallError` if the trial does not begin.
        """
        client = _AskingClient()
        solver = _solver_of(client)
        # The journal is set, then the trial begins, then the run ends. A run that fails
        # may end earlier.
        journal: Future[Path] = Future()
        run = self._threads.submit(
            self.conduct_question, text, solver, journal.set_result
        )
        begun_or_ended: list[Future[Any]] = [client.trial_beginning, run]
        wait(begun_or_ended, return_when=FIRST_COMPLETED)
        has_failed = not client.trial_beginning.done()
        if has_failed:
            error = run.exception()
            reason = (
                error
                if isinstance(error, ControlPlaneError)
                else "its trial did not start"
            )
            raise CallError(
                INVALID, f"the question cannot be opened: {reason}"
            ) from error

        question_id = secrets.token_hex(8)
        self._asked[question_id] = AskedQuestion(session, text, journal.result(), run)
        return OpenQuestion(
            question_id, session, client, client.trial_beginning.result()
        )

    def close(self) -> bool:
        """Open no more questions, and end the open ones without an answer from their
        clients.

        Their runs submit the fallback answer. Return True if all of them ended in
        `CLOSE_S`.
        """
        with self._lock:
            self._is_closed = True
        for question in self._open.values():
            question.client.has_left.set()  # The trial waits for no further call.
            question.turns.is_over = True  # Calls that still come are refused.
            question.turns.session.interrupt(
                "the client left"
            )  # This ends a running script.
        runs = [asked.run for asked in self._asked.values()]
        return not wait(runs, bounds.CLOSE_S).not_done


def _solver_of(client: _AskingClient) -> SolverSpec:
    """Return a solver that lets the client work on the only trial of a run."""

    def program_for(_session: TrialSession) -> _AskingClient:
        return client

    def open_solver(tools: SolverTools) -> ServedSolver:
        return ServedSolver(tools, program_for)

    return SolverSpec(open_solver, roles=(), plays_scripts=False)


def _not_open_text(question_id: str) -> str:
    """Return why a call belongs to no open question, and what to do."""
    if question_id:
        return f"the question {question_id!r} is not open: open one with `begin`"
    return f"no {QUESTION_ID} names an open question: open one with `begin`"
