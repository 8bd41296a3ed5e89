"""The calls of a served trial: their queue, their scripts, and the tools of clients."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any, Final

import re2

from controlplane.agent.evidence import ApproveCall
from controlplane.agent.exoskeleton import operation_tool, references_schema
from controlplane.agent.loop import TrialSession, served_text
from controlplane.agent.model import ModelTool, object_schema
from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    ToolSchema,
    bounds,
    error_codes,
)
from controlplane.sandbox.interface.outcomes import PLATFORM_OUTCOMES, Outcomes

# A client's call of a tool, and its result.


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A call of a tool by a client."""

    tool: str
    arguments: Mapping[str, Any]
    session: str | None
    """The client's session; None if the protocol names none."""
    approve: ApproveCall | None = None
    """Asks the client's user, in a form, whether to make a call of a script that is held back.

    None if the client cannot show forms (the protocol's elicitation).
    """
    script: str = ""
    """The script that the call becomes; empty until the call waits for its trial."""
    result: Future[CallResult] = field(default_factory=Future)
    """Set by the trial when the script has run."""

    def end(self, text: str, *, failed: bool) -> None:
        """Set the result of a call that has begun."""
        self.result.set_result(CallResult(text, failed))


@dataclass(frozen=True, slots=True)
class CallResult:
    """The reply to a client's call."""

    text: str
    failed: bool = False
    question_id: str = ""
    """The question that the call belongs to; empty if the server serves a single trial."""


def session_of(request: Any) -> str | None:
    """Return the name of a client's session.

    Over HTTP it is the session's id in the headers of `request`, or None if the client
    sends no id. Over standard input there is no request, and the name is `stdio`, since
    only one client is at the other end.
    """
    if request is None:
        return "stdio"
    session: str | None = request.headers.get("mcp-session-id")
    return session


OVER: Final = "This trial is over: its answer was accepted, or its time is up."

# The tools that a trial offers to a client: scripts, the submission, and operations.

EXECUTE: Final = "execute_script"
_SUBMIT: Final = "submit_answer"
_REPORT_COMPLETION: Final = "report_completion"
"""The name of the tool that submits the answer of a single trial."""
_SUBMISSION_TOOLS: Final = (_SUBMIT, _REPORT_COMPLETION)
BEGIN: Final = "begin"
QUESTION_ID: Final = "question_id"
"""The argument and the result field that say which of its open questions a client means."""


def changes_something(operation: Operation) -> bool:
    """Return True if an operation may change something."""
    harmless_effects = (Effect.READS, Effect.LISTS, Effect.RETURNS, Effect.NONE)
    return operation.effect not in harmless_effects


def question_tools(tool_schema: ToolSchema) -> list[ModelTool]:
    """Return the tools of a server for questions: `begin`, and the tools of a trial.

    A call of a trial's tool may name the question that it belongs to.
    """
    begin = ModelTool(
        name=BEGIN,
        description="Opens a question, and returns its id and what the files hold about it. "
        "Each is recorded apart.",
        parameters=object_schema(
            {
                "question": {
                    "type": "string",
                    "description": "what is to be answered from the files",
                }
            }
        ),
    )
    tools = _script_tools(tool_schema, _SUBMIT)
    for tool in tools:
        tool.parameters["properties"][QUESTION_ID] = {
            "type": "string",
            "description": "the id that `begin` returned; needed if several questions are open",
        }
    return [begin, *tools]


def trial_tools(tool_schema: ToolSchema) -> list[ModelTool]:
    """Return the tools of a single trial: `execute_script`, `report_completion`, and operations."""
    tools = _script_tools(tool_schema, _REPORT_COMPLETION)
    for operation in tool_schema.operations:
        # Tools of MCP servers, such as `files.read_file`, are left out, since a client can
        # call them itself. The benchmark's functions are only for scripts.
        is_of_mcp_server = "." in operation.name
        if not is_of_mcp_server and not operation.is_function:
            tools.append(operation_tool(operation))
    return tools


# What the client's model is told about the argument `citations`
_CITED: Final = (
    "every file that the answer rests on, with the reason (at least 8 characters) and its exact "
    "words"
)


def _script_tools(tool_schema: ToolSchema, submission_name: str) -> list[ModelTool]:
    """Return the tools with which a client runs a script, and submits its answer.

    The latter is `submit_answer` if the client answers questions, and `report_completion` in a trial.
    """
    execution = ModelTool(
        name=EXECUTE,
        description=served_text(tool_schema),
        parameters=object_schema({"code": {"type": "string"}}),
    )
    outcomes = tool_schema.outcomes
    outcome: dict[str, object] = {
        "type": "string",
        "enum": list(outcomes.names),
        "default": outcomes.done,
    }
    if outcomes != PLATFORM_OUTCOMES:  # Clients know what those of the platform mean.
        outcome["description"] = "; ".join(
            f"{declared.name}: {declared.sentence}"
            for declared in outcomes
            if declared.sentence
        )
    parameters: dict[str, dict[str, object]] = {
        "answer": {"type": "string"},
        "outcome": outcome,
        "citations": references_schema(_CITED),
        "tokens": {
            "type": "integer",
            "description": "optional: tokens that the answer took in all",
        },
        "cost_usd": {"type": "number", "description": "optional: what they cost"},
    }
    submission = ModelTool(
        name=submission_name,
        description="Submits the answer, which is checked: objections come back, to be fixed.",
        parameters=object_schema(parameters, ["answer"]),
    )
    return [execution, submission]


# The script that a client's call of a tool becomes.


def script_of(tool: str, arguments: Mapping[str, Any], tool_schema: ToolSchema) -> str:
    """Return the script for a call of a tool. Raises `CallError` for an invalid call."""
    if tool == EXECUTE:
        code = arguments.get("code")
        if not isinstance(code, str) or not code.strip():
            msg = f"{EXECUTE} takes code, a Python script"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return code
    if tool in _SUBMISSION_TOOLS:
        return _submission_script(arguments, tool_schema.outcomes)
    if tool_schema.operation(tool) is None:
        raise CallError(error_codes.INVALID_ARGUMENT, f"there is no tool {tool!r}")
    return _OPERATION_SCRIPT.format(tool=tool, arguments=repr(dict(arguments)))


# Templates for `str.format`, which makes single braces of `{{` and `}}`. Values are
# inserted as Python literals.
#
# The script of a submission first drops the citations of earlier submissions, which are
# in `refs_why`. If `cite` raises an error, its words tell which argument of the client
# is wrong. Every submission needs a function `verify`, which says no to a blank answer.

_OPERATION_SCRIPT: Final = """\
import json
result = harness.{tool}(**{arguments})
print(json.dumps(result, ensure_ascii=False, default=str))"""

_SUBMISSION_SCRIPT: Final = """\
scratchpad["answer"] = {answer}
scratchpad["outcome"] = {outcome}
scratchpad["refs_why"] = {{}}
for number, (path, reason, quote) in enumerate({citations}):
    try:
        scratchpad.cite(path, reason, quote)
    except CitationError as error:
        message = str(error)
        argument = "path"
        if "quotation" in message:
            argument = "quote"
        elif "reason" in message:
            argument = "reason"
        raise ValueError(f"citations[{{number}}].{{argument}}: {{message}}")
def verify(sp):
    return sp["answer"] == {answer} and sp["outcome"] == {outcome}
harness.answer(scratchpad, verify)"""


def _submission_script(arguments: Mapping[str, Any], outcomes: Outcomes) -> str:
    """Return the script that makes a client's citations and submits its answer."""
    citations = arguments.get("citations") or []
    if not isinstance(citations, list) or not all(
        isinstance(item, dict) for item in citations
    ):
        msg = "`citations` takes objects with path, reason and, optionally, quote"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    cited = []
    for citation in citations:
        texts = [str(citation.get(key) or "") for key in ("path", "reason", "quote")]
        cited.append(tuple(texts))
    return _SUBMISSION_SCRIPT.format(
        answer=repr(str(arguments.get("answer", ""))),
        outcome=repr(str(arguments.get("outcome") or outcomes.done)),
        citations=repr(cited),
    )


# The calls that a program makes in a trial.

# What a client is told after its call: objections in its own terms, and advice.

_CLIENT_WORDS: Final = (
    ("take it back with `scratchpad.uncite(path)`", "leave it out of `citations`"),
    ("`scratchpad.cite(path, reason)` for each", "an object of `citations` for each"),
    (
        "or quote it: `scratchpad.cite(path, reason, quote)`",
        "or quote it in `citations[].quote`",
    ),
    ("`scratchpad.cite(path, reason, quote)`", "`citations[].quote`"),
)
"""Advice of gates on a script's functions, each with the same advice on a client's arguments."""
_OBJECTION: Final = re2.compile(
    r"(?ms)^(?:GateRejection|ValueError): (.*?)^(?:while handling:|</error>)"
)
"""Finds the message of the exception that ended a submission's script.

In the script's output, the message ends at `</error>`, or before the cause of the
exception, which begins with `while handling:`.
"""


class ProgramCalls:
    """The calls that a program makes in its trial, until it leaves or the trial is over.

    The program's thread adds a call and waits for its result. The trial's thread takes the
    calls one after the other, runs their scripts, and sets the results.
    """

    def __init__(self, session: TrialSession) -> None:
        self.are_over = False
        """True if no more calls are accepted."""
        self._session = session
        self._waiting: SimpleQueue[ClientCall] = SimpleQueue()
        """The calls whose scripts have not begun."""
        self._lock = threading.Lock()
        """Held while a call is added and while the calls end.

        So no call is added after `end`, where it would wait forever.
        """

    @property
    def none_waits(self) -> bool:
        """True if every call so far has begun."""
        return self._waiting.empty()

    # For the program

    async def result_of(self, call: ClientCall) -> CallResult:
        """Make a client's call of a tool after earlier calls, and return its result.

        A cancelled call ends at once, together with its script. Raises `CallError` for
        an invalid call.
        """
        script = script_of(call.tool, call.arguments, self._session.tool_schema)
        waiting = replace(call, script=script)
        with self._lock:
            if self.are_over:
                return CallResult(OVER, failed=True)
            self._waiting.put(waiting)
        try:
            result = await asyncio.wrap_future(waiting.result)
        except asyncio.CancelledError:
            # If the script has not begun yet, an interruption has no effect. So repeat it.
            while not waiting.result.done():
                self._session.interrupt("the client cancelled this call")
                await asyncio.sleep(bounds.MCP_POLL_S)
            raise
        return _shown_to_client(result, call.tool)

    def leave(self) -> None:
        """Make no more calls. If a script is running, it ends."""
        with self._lock:
            self.are_over = True
        self._session.interrupt("the client left")

    # For the trial

    def next_call(self, wait_s: float) -> ClientCall | None:
        """Return the next call, which begins; None if none comes within `wait_s` seconds.

        The result is also None if the client has cancelled the next call.
        """
        try:
            waiting = self._waiting.get(timeout=wait_s)
        except Empty:
            return None
        is_cancelled = not waiting.result.set_running_or_notify_cancel()
        return None if is_cancelled else waiting

    def end(self) -> None:
        """Accept no more calls, and refuse those that wait."""
        with self._lock:
            self.are_over = True
        while not self.none_waits:
            waiting = self.next_call(0)
            if waiting is not None:
                waiting.end(OVER, failed=True)


def _shown_to_client(result: CallResult, tool: str) -> CallResult:
    """Return a result in the client's words, with advice if the call has failed.

    Of a refused submission, these are only the objections, with the names of the client's
    arguments. For example, this output of its script

        <error>
        GateRejection: nothing is cited: add `scratchpad.cite(path, reason)` for each file
        </error>

    becomes "nothing is cited: add an object of `citations` for each file".
    """
    text = result.text
    to_fix = "the script"
    if tool in _SUBMISSION_TOOLS:
        to_fix = "what the checks object to"
        objection = _OBJECTION.search(encodable(text))
        if objection is not None:
            text = str(objection[1]).strip()
            for script_words, client_words in _CLIENT_WORDS:
                text = text.replace(script_words, client_words)
    if result.failed and tool in (EXECUTE, *_SUBMISSION_TOOLS):
        text = f"{text}\n\nNext: fix {to_fix}, and call `{tool}` again."
    return replace(result, text=text)
