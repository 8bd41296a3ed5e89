"""The server of `controlplane mcp`, whose clients ask questions about files."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from controlplane.agent.model import ModelError
from controlplane.errors import ControlPlaneError
from controlplane.mcp.serving.calls import (
    BEGIN,
    EXECUTE,
    QUESTION_ID,
    CallResult,
    ClientCall,
    ProgramCalls,
    changes_something,
    question_tools,
    script_of,
    session_of,
)
from controlplane.mcp.serving.offered_server import offered_server
from controlplane.mcp.serving.served_solver import solver_by_calls
from controlplane.sandbox.interface import CallError, ToolSchema, bounds, error_codes
from controlplane.solver import SolverSpec

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server

# A question of a client, from its opening until it is forgotten.


class _Question:
    """A question that a client opened. It may be open or over.

    The client takes the place of a model: its calls decide what the question's trial does next. So
    the question is the program of its trial (`solver_by_calls`). The trial calls `start` when it
    begins, and `fault` while it waits for a call, both in the thread of the question's run.
    """

    def __init__(self, text: str, session: str | None) -> None:
        self.question_id = secrets.token_hex(8)
        self.text = text
        self.session = session
        """The client's session; None if the client sends no session id."""
        self.journal: Future[Path] = Future()
        """The path of the run's journal. Set before the trial begins."""
        self.calls: Future[ProgramCalls] = Future()
        """Makes the client's calls in the trial. Set when the trial has begun."""
        self.first_message = ""
        """What a model would be told first: the question, and passages of the files about it."""
        self.run: Future[None] = Future()
        """Done when the run has ended."""

    def start(self, calls: ProgramCalls, first_message: str) -> None:
        """Record that the trial has begun."""
        self.first_message = first_message
        self.calls.set_result(calls)

    def fault(self) -> Exception | None:
        """Return the error for the trial to raise if no more calls will come; None if some may."""
        if self.is_over:
            return ModelError("the client left without an accepted answer")
        return None

    def stop(self) -> None:
        """Do nothing: the client may go on with other questions."""

    @property
    def is_over(self) -> bool:
        """True if the trial, which has begun, takes no more calls."""
        return self.calls.result().are_over

    def leave(self) -> None:
        """End the trial without an answer from its client.

        The trial ends in its own thread, soon after this call.
        """
        self.calls.result().leave()


_KEPT_QUESTIONS: Final = 200
"""The number of latest questions that are kept, whose journals clients can read."""
_QUESTION_THREADS: Final = 2 * bounds.MOST_OPEN_QUESTIONS
"""The number of threads for the runs of questions: the open ones, and as many that are ending."""
UNSTATED_QUESTION: Final = (
    "Work with these files as the client asks, and submit what it wants to know."
)
"""The question of a trial whose client called `execute_script` without calling `begin` first."""
_INVALID: Final = error_codes.INVALID_ARGUMENT

_ConductQuestion: TypeAlias = Callable[[str, SolverSpec, Callable[[Path], None]], None]
"""Plays a question as a run of one trial, and returns when the run has ended.

Its third parameter is called with the path of the run's journal before the trial begins. Raises
`ControlPlaneError` if the run is not possible.
"""


# The prompt `ask` of `controlplane mcp`, by which a user asks the files a question.
#
# A client of the protocol lists prompts, for example as commands that its user can type. `ask` takes
# a question, and returns the text that makes the client's model answer it by this server's tools.

_ASK: Final = "ask"
"""The name of the prompt."""
_ASK_TEXT: Final = """\
{question}

Answer this from the files alone: call `begin` with the question, look things up by `execute_script`, and submit the
answer by `submit_answer`, with a citation of each file that it rests on: path, reason, and its exact words as quote."""


async def _list_prompts(*_: Any) -> types.ListPromptsResult:
    """Return the only prompt, `ask`. It has one argument, `question`."""
    from mcp import types

    question = types.PromptArgument(
        name="question", description="what the files are to answer", required=True
    )
    prompt = types.Prompt(
        name=_ASK,
        description="Asks the files, for a cited answer",
        arguments=[question],
    )
    return types.ListPromptsResult(prompts=[prompt])


async def _get_prompt(
    _: Any, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    """Return the text of the prompt `ask` with the client's question in it."""
    from mcp import MCPError, types

    question = (params.arguments or {}).get("question", "").strip()
    if params.name != _ASK or not question:
        raise MCPError(
            types.INVALID_PARAMS,
            "there is one prompt, `ask`, which takes `question`",
        )
    text = types.TextContent(text=_ASK_TEXT.format(question=question))
    message = types.PromptMessage(role="user", content=text)
    return types.GetPromptResult(messages=[message])


# The server of `controlplane mcp`, which lets an MCP client answer questions about files.
#
# The client opens a question by `begin`, and then takes the place of the model: it calls
# `execute_script` and `submit_answer` where a model would reply. All questions are about
# one folder of files.
#
# The journals of questions are resources. A client lists those of its own session. It can read any
# whose question id it knows, by an address such as `journal://3f0c…`.

_SCHEME: Final = "journal://"
_JSON_LINES: Final = "application/x-ndjson"
_SHOWN_TITLE_CHARS: Final = 200
_MOST_JOURNAL_BYTES: Final = bounds.MOST_MCP_MESSAGE_BYTES // 2
"""The largest journal that can be read. A message holds it as a JSON string, with escapes."""
_INSTRUCTIONS: Final = (
    "`begin(question)` opens a question about the files; answer it by scripts, then "
    "`submit_answer`."
)


_NO_OPERATIONS: Final = ToolSchema(operations=())
"""A server for questions has no tools for single operations."""


class QuestionServer:
    """Handles the calls of MCP clients, and opens the questions that the calls belong to.

    Each question is a run with one trial, in a thread of its own. One server exists for the life of
    `controlplane mcp`. `close` ends its questions.
    """

    def __init__(
        self, tool_schema: ToolSchema, folder: Path, conduct_question: _ConductQuestion
    ) -> None:
        """Serve questions about the files of a folder.

        `tool_schema` declares the calls that the scripts of each question may make.
        """
        self.tool_schema = tool_schema
        self.folder = folder
        self._conduct = conduct_question
        self._questions: dict[str, _Question] = {}
        """The latest questions of all clients, by their ids."""
        self._threads = ThreadPoolExecutor(_QUESTION_THREADS, "question")
        self._lock = threading.Lock()
        """Held while a question is opened, and while the server is closed."""
        self._is_closed = False

    @property
    def server(self) -> Server[Any]:
        """The MCP server of this process."""
        # The tools that change nothing, which clients are told. `execute_script` is one of them
        # if no operation that scripts may call changes anything.
        reading = [BEGIN]
        if not any(map(changes_something, self.tool_schema.operations)):
            reading.append(EXECUTE)
        return offered_server(
            question_tools(self.tool_schema),
            self.call,
            instructions=_INSTRUCTIONS,
            reading=reading,
            handlers={
                "on_list_prompts": _list_prompts,
                "on_get_prompt": _get_prompt,
                "on_list_resources": self._list_journals,
                "on_read_resource": self._read_journal,
            },
        )

    def close(self) -> bool:
        """Open no more questions, and end the open ones.

        Their clients can give no answer any more, so their runs submit the fallback answer.
        Return True if all runs ended within `MCP_CLOSE_S`.
        """
        with self._lock:
            self._is_closed = True
        # From here on, no question is added.
        for question in self._open_questions():
            question.leave()
        return self.wait_for_runs(bounds.MCP_CLOSE_S)

    def wait_for_runs(self, limit_s: float) -> bool:
        """Wait until the runs have ended. Return False if some have not within `limit_s`."""
        runs = [question.run for question in self._oldest_first()]
        return not wait(runs, limit_s).not_done

    def _oldest_first(self) -> list[_Question]:
        """Return the questions as a list, since another thread may add one meanwhile."""
        return list(self._questions.values())

    def _open_questions(self) -> list[_Question]:
        return [question for question in self._oldest_first() if not question.is_over]

    def _open_in(self, session: str | None) -> list[_Question]:
        """Return the open questions of a client's session, the oldest first."""
        if session is None:
            return []
        questions = self._open_questions()
        return [question for question in questions if question.session == session]

    async def call(self, call: ClientCall) -> CallResult:
        """Make one call of a client: of `begin`, `execute_script` or `submit_answer`.

        Raises `CallError` for a call that cannot be made, such as one of a question that is over.
        """
        if call.tool == BEGIN:
            return await self._begin(call)
        arguments = dict(call.arguments)
        question_id = str(arguments.pop(QUESTION_ID, "") or "")
        call = replace(call, arguments=arguments)
        # Check the call first, so that an invalid one opens no question below.
        script_of(call.tool, arguments, _NO_OPERATIONS)

        note = ""  # what is added to the result
        question = self._question_of_call(question_id, call.session)
        if question is None:
            # A client may run a script without `begin`. This opens a question without a text.
            if call.tool != EXECUTE:
                msg = f"no {QUESTION_ID} names an open question: open one with `begin`"
                raise CallError(_INVALID, msg)
            question = await self._open(None, call.session)
            note = f"({QUESTION_ID} {question.question_id})\n"
        result = await question.calls.result().result_of(call)
        return CallResult(note + result.text, result.failed, question.question_id)

    async def _begin(self, call: ClientCall) -> CallResult:
        """Open a question, and tell the client what to do next."""
        text = str(call.arguments.get("question") or "").strip()
        if not text:
            msg = "begin takes question, what is to be answered from the files"
            raise CallError(_INVALID, msg)
        question = await self._open(text, call.session)
        # What the client does next, and how
        code = "print(harness.passages('words of the files').shown)"
        example = f'{EXECUTE}({QUESTION_ID}="{question.question_id}", code="{code}")'
        opened = (
            f"{QUESTION_ID} {question.question_id}\n"
            f"The files of {self.folder} are below `/`. Next: {example}\n\n"
            f"{question.first_message}"
        )
        return CallResult(opened, question_id=question.question_id)

    def _question_of_call(
        self, question_id: str, session: str | None
    ) -> _Question | None:
        """Return the open question that a call belongs to; None if it names none and none is open.

        A call that names no question belongs to the only open one of its session.
        Raises `CallError` if there are several, or the named one is not open.
        """
        if question_id:
            named = self._questions.get(question_id)
            if named is None or named.is_over:
                msg = f"the question {question_id!r} is not open: open one with `begin`"
                raise CallError(_INVALID, msg)
            return named

        questions = self._open_in(session)
        if len(questions) > 1:
            names = ", ".join(question.question_id for question in questions)
            msg = f"{len(questions)} questions are open: name one as {QUESTION_ID}, of {names}"
            raise CallError(_INVALID, msg)
        return questions[0] if questions else None

    async def _open(self, text: str | None, session: str | None) -> _Question:
        """Open a question in a thread, which takes a while, and answer other requests meanwhile.

        `text` is None for a client that runs a script before it has asked anything.
        """
        from anyio.to_thread import run_sync

        return await run_sync(
            self._opened_question, text, session, abandon_on_cancel=True
        )

    def _opened_question(self, text: str | None, session: str | None) -> _Question:
        """Open a question, and wait until its trial has begun.

        Raises `CallError` if the question's run cannot begin.
        """
        with self._lock:
            if self._is_closed:
                msg = "this server ends: it opens no further question"
                raise CallError(_INVALID, msg)
            # A client may run several scripts at once without `begin`.
            # The first one opens a question. The others have waited for the lock,
            # and now belong to that question. `begin` always opens a new one.
            questions = self._open_in(session)
            if text is None and questions:
                return questions[-1]
            if len(self._open_questions()) >= bounds.MOST_OPEN_QUESTIONS:
                msg = f"{bounds.MOST_OPEN_QUESTIONS} questions are open: submit the answer of one first"
                raise CallError(_INVALID, msg)
            question = _Question(text or UNSTATED_QUESTION, session)
            self._start(question)
            # Those whose runs have ended are forgotten first, to make room for a new one.
            if len(self._questions) >= _KEPT_QUESTIONS:
                for oldest in self._oldest_first():
                    if oldest.run.done():
                        del self._questions[oldest.question_id]
                        break
            self._questions[question.question_id] = question
            return question

    def _start(self, question: _Question) -> None:
        """Start the run of a question. Raises `CallError` if its trial does not begin."""
        solver = solver_by_calls(lambda _session: question)
        # In this order, `journal` is set, `calls` is set, and `run` ends. A run
        # that fails may end before the others are set.
        question.run = self._threads.submit(
            self._conduct, question.text, solver, question.journal.set_result
        )
        begun_or_ended: list[Future[Any]] = [question.calls, question.run]
        wait(begun_or_ended, return_when=FIRST_COMPLETED)
        if question.calls.done():
            return

        error = question.run.exception()
        reason: object = "its trial did not start"
        if isinstance(error, ControlPlaneError):
            reason = error
        msg = f"the question cannot be opened: {reason}"
        raise CallError(_INVALID, msg) from error

    async def _list_journals(self, context: Any, _: Any) -> types.ListResourcesResult:
        """Return the journals of the questions of the client's session, with the newest first.

        Only their addresses and titles are returned; `_read_journal` returns a journal's text.
        """
        from mcp import types

        session = session_of(context.request)
        resources = []
        for question in reversed(self._oldest_first()):
            if session is None or question.session != session:
                continue
            resource = types.Resource(
                uri=f"{_SCHEME}{question.question_id}",
                name=question.question_id,
                title=question.text[:_SHOWN_TITLE_CHARS],
                mime_type=_JSON_LINES,
            )
            resources.append(resource)
        return types.ListResourcesResult(resources=resources)

    async def _read_journal(
        self, _: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return the journal whose address, such as `journal://3f…`, the client sends."""
        import anyio.to_thread
        from mcp import MCPError, types

        uri = str(params.uri)
        question = self._questions.get(uri.removeprefix(_SCHEME))
        if question is None:
            msg = f"uri: no question of yours has the journal {uri[:100]!r}"
            raise MCPError(types.INVALID_PARAMS, msg)
        path = question.journal.result()
        if path.stat().st_size > _MOST_JOURNAL_BYTES:
            megabytes = _MOST_JOURNAL_BYTES // 1_000_000
            msg = f"uri: the journal has more than {megabytes} MB: read it as the file {path}"
            raise MCPError(types.INVALID_PARAMS, msg)
        text = await anyio.to_thread.run_sync(path.read_text, "utf-8", "replace")
        contents = types.TextResourceContents(uri=uri, mime_type=_JSON_LINES, text=text)
        return types.ReadResourceResult(contents=[contents])
