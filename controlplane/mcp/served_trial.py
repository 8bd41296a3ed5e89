"""A trial that another program works on through tools: an agent of the user's, or any MCP client.

Each call becomes a script of the cited loop, and the script's output its result, so that gates, budget, journal and
replay work as for a model. No part of the other program runs in our isolation.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import re2

from controlplane.agent.exoskeleton import operation_tool, references_schema
from controlplane.agent.loop import CitedLoop, LeftOpen, TrialSession, served_text
from controlplane.agent.model import (
    DEADLINE,
    Model,
    ModelError,
    ModelRequest,
    OutOfTime,
    Reply,
    Tool,
    object_schema,
)
from controlplane.errors import ControlPlaneError, UsageError, as_usage_error, extra_module
from controlplane.gates.eight_gates import change_entries
from controlplane.gates.marks import footnoted, marker_of
from controlplane.gates.submission import OUTCOMES, encodable
from controlplane.mcp.client_offers import AskedQuestion, offers, session_of
from controlplane.mcp.server_specs import environment_for_solvers, without_secrets
from controlplane.mcp.transports import served_over_http
from controlplane.sandbox import Ending
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import CallError, Effect, ToolSchema, bounds, error_codes
from controlplane.solver import SolverSpec, SolverTools

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

INVALID: Final = error_codes.INVALID_ARGUMENT
EXECUTE: Final = "execute_script"
SUBMIT: Final = ("submit_answer", "report_completion")
BEGIN: Final = "begin"
OVER: Final = "This trial is over: its answer was accepted, or its time is up."
UNASKED: Final = "Work with these files as the client asks, and submit what it wants to know."
"""The question of a client that calls `execute_script` without `begin`."""
ID: Final = "question_id"
OUTPUT: Final = object_schema(
    {"text": {"type": "string"}, "ok": {"type": "boolean"}, ID: {"type": "string"}}, ["text", "ok"]
)
CHANGING: Final = (
    Effect.WRITES,
    Effect.DELETES,
    Effect.MOVES,
    Effect.EXECUTES,
    Effect.ACTS,
    Effect.UNDECLARED,
)
NEXT: Final = {
    EXECUTE: f"Next: fix the script, and call `{EXECUTE}` again.",
    **{name: f"Next: fix what the checks object to, and call `{name}` again." for name in SUBMIT},
}
"""What a client does after a call that failed."""
APPROVE: Final = "send"
APPROVAL: Final = object_schema(
    {APPROVE: {"type": "boolean", "title": "Send it?", "default": True}}, []
)
"""The form in which a client's user approves a call that is held."""
_ARGUMENTS: Final = (
    ("take it back with `scratchpad.uncite(path)`", "leave it out of `citations`"),
    ("`scratchpad.cite(path, reason)` for each", "an object of `citations` for each"),
    ("or quote it: `scratchpad.cite(path, reason, quote)`", "or quote it in `citations[].quote`"),
    ("`scratchpad.cite(path, reason, quote)`", "`citations[].quote`"),
)
"""What gates say of a script's functions, and the arguments of a client."""
_OBJECTION: Final = re2.compile(
    r"(?ms)^(?:GateRejection|ValueError): (.*?)^(?:while handling:|</error>)"
)
CITED: Final = "every file that the answer rests on, with the reason (at least 8 characters) and its exact words"


class ClientCall(NamedTuple):
    """A client's call of a tool."""

    tool: str
    arguments: Mapping[str, Any]
    session: str | None
    """The client's session; None if the protocol names none."""
    approve: Callable[[str], bool] | None = None
    """Asks the client's user about a held call, by elicitation; None if the client cannot."""


class CallResult(NamedTuple):
    """What a client hears of its call."""

    text: str
    failed: bool = False
    question: str = ""
    """The id of the question that it belongs to; empty in a trial's own server."""


@dataclass(slots=True)
class ToolTurns(Model):
    """The cited loop's model for one trial: each reply is the script of the next call, from any thread."""

    begin: Callable[[str], None]
    """Starts the other program with the first message."""
    session: TrialSession
    name: str = "client"
    fault: Callable[[], Exception | None] = lambda: None
    """Returns why no further call will come; None while calls may come."""
    _calls: SimpleQueue[tuple[str, ClientCall, Future[CallResult]]] = field(
        default_factory=SimpleQueue
    )
    """Calls with their scripts, and where their results are awaited."""
    _waiting: Future[CallResult] | None = None
    """Where the result of the call under way is awaited."""
    is_over: bool = False
    """No further call is accepted."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_begun: bool = False

    def reply_to(self, request: ModelRequest) -> Reply:
        """Hand the last script's output to its call, and return the next call's script. Raises `ModelError`."""
        messages = request.messages
        if not self._is_begun:
            self._is_begun = True
            self.begin(messages[1]["content"] if len(messages) > 1 else self.session.instruction)
        elif self._waiting is not None:
            failed = self.session.last_step.get("ending") != str(Ending.FINISHED)
            self._waiting.set_result(CallResult(messages[-1]["content"], failed))
        self._waiting = None
        while True:
            with suppress(Empty):
                code, asked, place = self._calls.get(timeout=bounds.LOOK_S)
                if place.set_running_or_notify_cancel():  # Else nobody waits for it any more.
                    self._waiting = place
                    provenance = self.session.exit.recorder.provenance
                    provenance.policy = replace(provenance.policy, approve=asked.approve)
                    text = json.dumps({"state": "", "plan": [], "done": False, "code": code})
                    return Reply.model_validate({"text": text, **usage_of(asked.arguments)})
            if self.session.stop.is_set():
                raise LeftOpen
            if time.monotonic() > DEADLINE.get():
                msg = "the program was still at work"
                raise OutOfTime(msg, retryable=False)
            if (fault := self.fault()) and self._calls.empty():
                raise fault

    async def result_of(self, asked: ClientCall) -> CallResult:
        """Make a client's call of a tool after those before it, and return its result. A call that is cancelled ends
        at once, with its script. Raises `CallError` for an invalid call."""
        tool, place = asked.tool, Future[CallResult]()
        code = script_of(tool, asked.arguments, self.session.tool_schema)
        with self._lock:
            if self.is_over:
                return CallResult(OVER, failed=True)
            self._calls.put((code, asked, place))
        try:
            result = await asyncio.wrap_future(place)
        except asyncio.CancelledError:
            while not place.done():  # Its script may just begin.
                self.session.interrupt("the client cancelled this call")
                await asyncio.sleep(bounds.LOOK_S)
            raise
        text = in_client_words(result.text) if tool in SUBMIT else result.text
        return result._replace(
            text=f"{text}\n\n{NEXT[tool]}" if result.failed and tool in NEXT else text
        )

    def farewell(self) -> str:
        """Return what the client hears of its accepted answer: its values marked as `ask` marks them, and what
        the trial changed."""
        answer = self.session.exit.accepted
        evidence = self.session.exit.recorder.evidence_log.view()
        parts = ["The answer passed the gates. This trial is over."]
        if (
            answer is not None
            and answer.outcome == OUTCOMES[0]
            and self.session.tool_schema.operation("passages")
        ):
            given, cited = [self.session.exit.now], {ref.partition("#")[0] for ref in answer.refs}
            marker = marker_of(evidence, self.session.instruction, cited, given, evidence.steps)
            marks = marker.marks(answer.message)
            parts += ["\n".join(footnoted(answer.message, marks)).strip()] if marks else []
        changes = evidence.present_changes
        return "\n\n".join(
            [*parts, f"changed: {change_entries(changes) if changes else 'nothing'}"]
        )

    def finish(self, text: str, *, failed: bool) -> None:
        """Answer the waiting call; every later one hears that the trial is over."""
        with self._lock:
            self.is_over = True
        if self._waiting is not None:
            self._waiting.set_result(CallResult(text, failed))
            self._waiting = None
        with suppress(Empty):
            while True:
                _, _, place = self._calls.get_nowait()
                if place.set_running_or_notify_cancel():
                    place.set_result(CallResult(OVER, failed=True))


def client_tools(tool_schema: ToolSchema) -> list[Tool]:
    """Return the tools of a serving process: those of a trial, for a question that each call may name, and `begin`."""
    tools = offered_tools(tool_schema, with_operations=False)
    name = {
        "type": "string",
        "description": "the id that `begin` returned; needed if several questions are open",
    }
    for tool in tools:
        tool.parameters["properties"][ID] = name
    question: dict[str, object] = {
        "type": "string",
        "description": "what is to be answered from the files",
    }
    opens = "Opens a question, and returns its id and what the files hold about it. Each is recorded apart."
    return [
        Tool(name=BEGIN, description=opens, parameters=object_schema({"question": question})),
        *tools,
    ]


def offered_tools(tool_schema: ToolSchema, *, with_operations: bool) -> list[Tool]:
    """Return the tools of a trial."""
    answer: dict[str, dict[str, object]] = {
        "answer": {"type": "string"},
        "outcome": {"type": "string", "enum": list(OUTCOMES), "default": OUTCOMES[0]},
        "citations": references_schema(CITED),
        "tokens": {
            "type": "integer",
            "description": "optional: tokens that the answer took in all",
        },
        "cost_usd": {"type": "number", "description": "optional: what they cost"},
    }
    submits = "Submits the answer, which is checked: objections come back, to be fixed."
    operations = (
        [one for one in tool_schema.operations if "." not in one.name and not one.finds]
        if with_operations
        else []
    )
    return [
        Tool(
            name=EXECUTE,
            description=served_text(tool_schema),
            parameters=object_schema({"code": {"type": "string"}}),
        ),
        Tool(
            name=SUBMIT[with_operations],
            description=submits,
            parameters=object_schema(answer, ["answer"]),
        ),
        *map(operation_tool, operations),
    ]


def script_of(tool: str, arguments: Mapping[str, Any], tool_schema: ToolSchema) -> str:
    """Return the script for a call of a tool. Raises `CallError` for an invalid call."""
    if tool == EXECUTE:
        code = arguments.get("code")
        if not isinstance(code, str) or not code.strip():
            raise CallError(INVALID, f"{EXECUTE} takes code, a Python script")
        return code
    if tool in SUBMIT:
        return _submission(arguments)
    if tool_schema.operation(tool) is None:
        raise CallError(INVALID, f"there is no tool {tool!r}")
    return f"import json\nprint(json.dumps(harness.{tool}(**{dict(arguments)!r}), ensure_ascii=False, default=str))"


def _submission(arguments: Mapping[str, Any]) -> str:
    answer, outcome = str(arguments.get("answer", "")), str(arguments.get("outcome") or OUTCOMES[0])
    citations = arguments.get("citations") or []
    if not isinstance(citations, list) or not all(isinstance(one, dict) for one in citations):
        raise CallError(
            INVALID, "`citations` takes objects with path, reason and, optionally, quote"
        )
    cited = [
        tuple(str(one.get(key) or "") for key in ("path", "reason", "quote")) for one in citations
    ]
    return (
        f'scratchpad["answer"] = {answer!r}\nscratchpad["outcome"] = {outcome!r}\nscratchpad["refs_why"] = {{}}\n'
        f"for number, (path, reason, quote) in enumerate({cited!r}):\n"
        "    try:\n        scratchpad.cite(path, reason, quote)\n"
        "    except CitationError as fault:\n        told = str(fault)\n"
        '        name = "quote" if "quotation" in told else "reason" if "reason" in told else "path"\n'
        '        raise ValueError(f"citations[{number}].{name}: {told}")\n'
        f'def verify(sp):\n    return sp["answer"] == {answer!r} and sp["outcome"] == {outcome!r}\n'
        "harness.answer(scratchpad, verify)"
    )


def in_client_words(result: str) -> str:
    """Return the objections to a submission alone, and with the names of the client's arguments."""
    objection = _OBJECTION.search(encodable(result))
    if objection is None:
        return result
    text = str(objection[1]).strip()
    for said, argument in _ARGUMENTS:
        text = text.replace(said, argument)
    return text


def usage_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tokens and the cost that a program reports with its answer, as a reply holds them."""
    tokens, cost = arguments.get("tokens"), arguments.get("cost_usd")
    usage: dict[str, Any] = {}
    if isinstance(tokens, int) and 0 <= tokens < 10**12:
        usage["usage"] = {"prompt_tokens": tokens}
    if isinstance(cost, int | float) and 0 <= cost < 10**9:
        usage |= {"cost_usd": float(cost), "cost_source": "vendor"}
    return usage


def tool_server(
    tools: Sequence[Tool],
    call: Callable[[ClientCall], Awaitable[CallResult]],
    instructions: str,
    others: Mapping[str, Any] | None = None,
    reading: Container[str] = (),
) -> Server[Any]:
    """Return an MCP server with these tools, and handlers of `others`; the tools of `reading` change nothing.

    A `CallError` of `call` becomes an error of the tool. While it runs, a client that wants it hears of the progress
    in seconds.
    """
    import anyio
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    free = asyncio.Semaphore(bounds.MOST_PENDING)
    listed = [
        types.Tool(
            name=one.name,
            title=one.name.replace("_", " ").capitalize(),
            description=one.description,
            input_schema=one.parameters,
            output_schema=OUTPUT,
            annotations=types.ToolAnnotations(
                read_only_hint=one.name in reading, destructive_hint=False, open_world_hint=False
            ),
        )
        for one in tools
    ]

    async def list_tools(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    def shown(result: CallResult) -> types.CallToolResult:
        structured: dict[str, Any] = {"text": result.text, "ok": not result.failed}
        structured |= {ID: result.question} if result.question else {}
        content: list[types.ContentBlock] = [types.TextContent(text=result.text)]
        return types.CallToolResult(
            content=content, structured_content=structured, is_error=result.failed
        )

    waiting: dict[
        str, tuple[asyncio.Future[Any], asyncio.Queue[Any], asyncio.Future[CallResult]]
    ] = {}
    """Calls whose question the client takes with it, by the state that it brings back with the answer."""

    async def made(
        context: Any, params: types.CallToolRequestParams, said: asyncio.Queue[Any]
    ) -> CallResult:
        """Make a call, which asks the client's user by `said` if the protocol takes questions for results."""
        loop, running = asyncio.get_running_loop(), asyncio.current_task()
        assert running is not None

        async def ask(message: str) -> bool:
            answer: asyncio.Future[Any] = loop.create_future()
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                said.put_nowait((message, answer))
            else:
                answer = asyncio.ensure_future(
                    context.session.elicit_form(message, APPROVAL, context.request_id)
                )
            # Seconds for which a client's user may think about a held call.
            await asyncio.wait(
                {answer, running}, timeout=300.0, return_when=asyncio.FIRST_COMPLETED
            )
            if answer.cancel() or answer.exception():
                return False
            given = answer.result()
            return getattr(given, "action", "") == "accept" and bool(
                (given.content or {}).get(APPROVE, True)
            )

        def approve(message: str) -> bool:
            with suppress(CancelledError, RuntimeError):  # The client may have left.
                return asyncio.run_coroutine_threadsafe(ask(message), loop).result()
            return False

        known = context.session.client_capabilities
        asking = approve if known and known.elicitation else None
        async with free:
            try:
                return await call(
                    ClientCall(
                        params.name, params.arguments or {}, session_of(context.request), asking
                    )
                )
            except CallError as error:
                return CallResult(error.message, failed=True)

    async def call_tool(
        context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        async def tell() -> None:
            for seconds in count(1):
                await anyio.sleep(1.0)
                await context.session.report_progress(
                    seconds, None, f"{params.name} is at work for {seconds} s"
                )

        if params.request_state in waiting:
            answer, said, running = waiting.pop(params.request_state)
            if not answer.done():
                answer.set_result((params.input_responses or {}).get(APPROVE))
        elif params.request_state:
            return shown(CallResult("nothing waits for this answer any more", failed=True))
        elif free.locked():
            busy = f"{bounds.MOST_PENDING} calls are under way: wait for their results"
            return shown(CallResult(busy, failed=True))
        else:
            said = asyncio.Queue()
            running = asyncio.ensure_future(made(context, params, said))
            running.add_done_callback(said.put_nowait)
        async with anyio.create_task_group() as group:
            group.start_soon(tell)
            try:
                one = await said.get()
            except BaseException:
                running.cancel()
                raise
            finally:
                group.cancel_scope.cancel()
        if one is running:
            return shown(running.result())
        form = types.ElicitRequestFormParams(message=one[0], requested_schema=APPROVAL)
        asking, state = types.ElicitRequest(params=form), secrets.token_urlsafe(24)
        waiting[state] = one[1], said, running
        return types.InputRequiredResult(input_requests={APPROVE: asking}, request_state=state)

    return Server(
        "controlplane",
        version=version("grounded-control-plane"),
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **(others or {}),
    )


@dataclass(frozen=True, slots=True)
class ServedSolver:
    """Works on trials through tools that a program calls."""

    tools: SolverTools
    begin: Callable[[ToolTurns, str], AbstractContextManager[None]]
    """Starts the program of a trial with its first message; its end ends the program."""

    def solve(self, session: TrialSession) -> str:
        """Serve the trial until it is answered; return an empty string, or why it is not. Raises `LeftOpen`."""
        with ExitStack() as held:
            turns = ToolTurns(lambda first: held.enter_context(self.begin(turns, first)), session)
            solver = CitedLoop(
                turns, self.tools.sandbox_server(), self.tools.loop, budget=self.tools.budget
            )
            try:
                reason = solver.solve(session)
                turns.finish(
                    f"{OVER} ({reason})" if reason else turns.farewell(), failed=bool(reason)
                )
            finally:
                turns.finish(OVER, failed=True)
            return reason


def command_solver(command: str) -> SolverSpec:
    """Return the solver that starts the user's command for each trial. Raises `UsageError`."""
    with as_usage_error("--agent command: the command cannot be read", ValueError):
        words = shlex.split(command)
    if not words:
        msg = '--agent command: names no program; write --agent "command:PROGRAM ARGUMENT ..."'
        raise UsageError(msg)
    extra_module("mcp", "serving tools", "mcp")
    return SolverSpec(
        lambda tools: ServedSolver(tools, partial(_program, words)), roles=(), plays_scripts=False
    )


@contextmanager
def _program(words: list[str], turns: ToolTurns, first: str) -> Iterator[None]:
    """Serve the trial's tools to the user's program, which runs for the length of the block."""
    session, token = turns.session, secrets.token_urlsafe(24)
    tools = offered_tools(session.tool_schema, with_operations=True)
    reading = {one.name for one in session.tool_schema.operations if one.effect not in CHANGING}
    server = tool_server(tools, turns.result_of, first, reading=reading)
    with (
        served_over_http(server, token) as address,
        tempfile.TemporaryDirectory(prefix="controlplane-") as place,
    ):
        folder = Path(place)
        config = folder / "mcp.json"
        server_entry = {
            "type": "http",
            "url": address,
            "headers": {"Authorization": f"Bearer {token}"},
        }
        write_whole(
            config, json.dumps({"mcpServers": {"trial": server_entry}}).encode(), folder, mode=0o600
        )
        write_whole(folder / "instruction", first.encode("utf-8", "replace"), folder, mode=0o600)
        told = {
            "CONTROLPLANE_MCP_CONFIG": str(config),
            "CONTROLPLANE_MCP_URL": address,
            "CONTROLPLANE_MCP_TOKEN": token,
            "CONTROLPLANE_INSTRUCTION": session.instruction,
            "CONTROLPLANE_TRIAL": session.trial.trial_id,
            "CONTROLPLANE_RESUMED": "1" if session.resume_state.initial_prompt is not None else "",
        }
        # Cut to fit variables; standard input has the whole instruction.
        given = {
            name: text[:20_000].replace("\0", "").encode("utf-8", "replace").decode()
            for name, text in told.items()
        }
        end = bytearray()
        started = time.monotonic()
        try:
            with (folder / "instruction").open("rb") as instruction:
                process = subprocess.Popen(
                    words,
                    stdin=instruction,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env={**environment_for_solvers(), **given},
                    start_new_session=True,
                )
        except OSError as error:
            msg = f"the program {words[0]!r} cannot be started: {error.strerror}"
            raise ModelError(msg, retryable=False, affects_all=True) from error

        def keep_end(output: IO[bytes]) -> None:
            with output:
                while part := os.read(output.fileno(), 1 << 16):
                    end.extend(part)
                    del end[: -4 * bounds.SHOWN_END_CHARS]

        def fault() -> Exception | None:
            if (code := process.poll()) is None:
                return None
            listener.join(1)  # A child of the program may hold its output open.
            last = (
                f"; its last line: {lines[-1]}"
                if code and (lines := output_end().strip().splitlines())
                else ""
            )
            text = f"the program ended with exit code {code} and without an accepted answer{last}"
            return ChildProcessError(text) if code else ModelError(text, retryable=False)

        def output_end() -> str:
            return without_secrets(bytes(end).decode("utf-8", "replace"), (token,))[
                -bounds.SHOWN_END_CHARS :
            ]

        assert process.stdout
        listener = threading.Thread(target=keep_end, args=(process.stdout,), daemon=True)
        listener.start()
        turns.fault = fault
        try:
            yield
        finally:
            with suppress(subprocess.TimeoutExpired):
                # Seconds that a program has for exiting once its trial is over.
                left = min(10.0, session.deadline - time.monotonic())
                process.wait(max(left, 0.1) if turns.is_over and not session.stop.is_set() else 0.1)
            was_killed = process.poll() is None
            left_behind = _below(process.pid)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            for child in left_behind:  # Some have a session of their own.
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            code = process.wait()
            listener.join(1)
            ending = "was killed" if was_killed else f"ended with exit code {code}"
            took = time.monotonic() - started
            session.notice(
                f"the program {ending} after {took:.1f} s; the end of its output: {output_end().strip() or '(none)'}"
            )


def _below(process: int) -> list[int]:
    """Return the processes that a process started, and those that these started, where the system tells them."""
    found = [process]
    for one in found:
        for threads in Path(f"/proc/{one}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, threads.read_text().split())
    return found[1:]


@dataclass(slots=True)
class QuestionServer:
    """Serves any number of questions in one process; each is a run with one trial, in a thread of its own."""

    tool_schema: ToolSchema
    folder: Path
    """The folder that the files lie in."""
    conduct: Callable[[str, SolverSpec, Callable[[Path], None]], None]
    """Plays the run of a question by a solver, and gives its journal away. Raises `ControlPlaneError`."""
    _asked: dict[str, AskedQuestion] = field(default_factory=dict)
    """The last questions by their ids."""
    _open: dict[str, ToolTurns] = field(default_factory=dict)
    _runs: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(2 * bounds.MOST_QUESTIONS, "question")
    )
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_closed: bool = False

    @property
    def server(self) -> Server[Any]:
        instructions = "`begin(question)` opens a question about the files; answer it by scripts, then `submit_answer`."
        changes = any(one.effect in CHANGING for one in self.tool_schema.operations)
        reading = (BEGIN,) if changes else (BEGIN, EXECUTE)
        return tool_server(
            client_tools(self.tool_schema), self.call, instructions, offers(self._asked), reading
        )

    async def call(self, asked: ClientCall) -> CallResult:
        """Make one call of a client. Raises `CallError` for a call that cannot be made."""
        from anyio.to_thread import run_sync

        tool, session, given = asked.tool, asked.session, dict(asked.arguments)
        if tool == BEGIN:
            question = str(given.get("question") or "").strip()
            if not question:
                raise CallError(
                    INVALID, "begin takes question, what is to be answered from the files"
                )
            key, first = await run_sync(
                self._open_question, question, session, abandon_on_cancel=True
            )
            then = f'{EXECUTE}({ID}="{key}", code="print(harness.passages(\'words of the files\').shown)")'
            return CallResult(
                f"{ID} {key}\nThe files of {self.folder} are below `/`. Next: {then}\n\n{first}",
                question=key,
            )
        named = str(given.pop(ID, "") or "")
        script_of(tool, given, ToolSchema(operations=()))  # An invalid call opens no question.
        own = self._open_of(session)
        if not named and len(own) > 1:
            raise CallError(
                INVALID, f"{len(own)} questions are open: name one as {ID}, of {', '.join(own)}"
            )
        key, note = named or (own or [""])[0], ""
        turns = self._open.get(key)
        if turns is None or turns.is_over:
            if named or tool != EXECUTE:
                said = (
                    f"the question {key!r} is not open"
                    if key
                    else f"no {ID} names an open question"
                )
                raise CallError(INVALID, f"{said}: open one with `begin`")
            key, _ = await run_sync(self._open_question, "", session, abandon_on_cancel=True)
            turns, note = self._open[key], f"({ID} {key})\n"
        result = await turns.result_of(asked._replace(arguments=given))
        return CallResult(note + result.text, result.failed, key)

    def _open_of(self, session: str | None) -> list[str]:
        """Return the ids of the open questions of a client's session."""
        still = [key for key, turns in self._open.items() if not turns.is_over]
        return [key for key in still if session and self._asked[key].session == session]

    def _open_question(self, question: str, session: str | None) -> tuple[str, str]:
        """Open a question, and return its id and its first message; without a question, the session's if one is open.
        Raises `CallError` if its run cannot begin."""
        with self._lock:
            if self._is_closed:
                raise CallError(INVALID, "this server ends: it opens no further question")
            if not question and (own := self._open_of(session)):
                return own[-1], ""
            self._open = {key: turns for key, turns in self._open.items() if not turns.is_over}
            if len(self._open) >= bounds.MOST_QUESTIONS:
                msg = f"{bounds.MOST_QUESTIONS} questions are open: submit the answer of one first"
                raise CallError(INVALID, msg)
            arrival, journal = Future[Any](), Future[Path]()

            def begin(turns: ToolTurns, first: str) -> AbstractContextManager[None]:
                arrival.set_result((turns, first))
                return nullcontext()

            solver = SolverSpec(
                lambda tools: ServedSolver(tools, begin), roles=(), plays_scripts=False
            )
            run = self._runs.submit(self.conduct, question or UNASKED, solver, journal.set_result)
            wait([run, arrival], return_when=FIRST_COMPLETED)
            if not arrival.done():
                error = run.exception()
                fault = error if isinstance(error, ControlPlaneError) else "its trial did not start"
                raise CallError(INVALID, f"the question cannot be opened: {fault}") from error
            key = secrets.token_hex(8)
            self._asked[key] = AskedQuestion(session, question or UNASKED, journal.result(), run)
            # Journals that are resources of clients.
            if len(self._asked) > 200:
                del self._asked[next(key for key, one in self._asked.items() if one.run.done())]
            self._open[key], first = arrival.result()
            return key, first

    def close(self) -> bool:
        """Open no further question, end the open ones in a fallback, and say whether their runs ended in `CLOSE_S`."""
        with self._lock:
            self._is_closed = True
        for turns in self._open.values():
            turns.is_over, turns.fault = (
                True,
                lambda: ModelError("the client left without an accepted answer"),
            )
            turns.session.interrupt("the client left")
        return not wait([asked.run for asked in self._asked.values()], bounds.CLOSE_S).not_done
