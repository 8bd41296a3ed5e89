"""The server of `controlplane mcp`, which lets an MCP client answer questions about files.

The client opens a question by `begin`, and then takes the place of the model: it calls
`execute_script` and `submit_answer` where a model would reply. All questions are about
one folder of files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controlplane.mcp.questions.offered_journals import journal_handlers
from controlplane.mcp.questions.offered_prompt import prompt_handlers
from controlplane.mcp.questions.open_questions import OpenQuestion
from controlplane.mcp.questions.question_opener import QuestionOpener
from controlplane.mcp.questions.question_starter import ConductQuestion
from controlplane.mcp.serving.call_scripts import check_question_call
from controlplane.mcp.serving.client_call import CallResult, ClientCall
from controlplane.mcp.serving.client_tools import (
    BEGIN,
    EXECUTE,
    QUESTION_ID,
    changes_something,
    question_tools,
)
from controlplane.mcp.serving.offered_server import ServerOffer, offered_server
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

INVALID: Final = error_codes.INVALID_ARGUMENT
INSTRUCTIONS: Final = (
    "`begin(question)` opens a question about the files; answer it by scripts, then "
    "`submit_answer`."
)


class QuestionServer:
    """Handles the calls of MCP clients, and opens the questions that the calls belong to.

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
        self.opener = QuestionOpener(conduct_question)

    @property
    def server(self) -> Server[Any]:
        """The MCP server of this process."""
        offer = ServerOffer(
            tools=question_tools(self.tool_schema),
            instructions=INSTRUCTIONS,
            reading=_reading_tools(self.tool_schema),
            handlers=prompt_handlers() | journal_handlers(self.opener.asked),
        )
        return offered_server(offer, self.call)

    def close(self) -> bool:
        """End the open questions. Return True if all of their runs ended in time."""
        return self.opener.close()

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
        check_question_call(call.tool, arguments)

        note = ""  # what is added to the result
        question = self.opener.open_questions.find(question_id, call.session)
        if question is None:
            # A client may run a script without `begin`. This opens a question without a text.
            if question_id or call.tool != EXECUTE:
                raise CallError(INVALID, _not_open_text(question_id))
            question = await self._open(None, call.session)
            note = f"({QUESTION_ID} {question.question_id})\n"
        result = await question.trial.calls.result_of(call)
        return CallResult(note + result.text, result.failed, question.question_id)

    async def _begin(self, call: ClientCall) -> CallResult:
        """Open a question, and tell the client what to do next."""
        text = str(call.arguments.get("question") or "").strip()
        if not text:
            msg = "begin takes question, what is to be answered from the files"
            raise CallError(INVALID, msg)
        question = await self._open(text, call.session)
        return CallResult(
            _opened_text(question, self.folder), question_id=question.question_id
        )

    async def _open(self, text: str | None, session: str | None) -> OpenQuestion:
        """Open a question in a thread, which takes a while, and answer other requests meanwhile.

        `text` is None for a client that runs a script before it has asked anything.
        """
        from anyio.to_thread import run_sync

        return await run_sync(self.opener.open, text, session, abandon_on_cancel=True)


def _reading_tools(tool_schema: ToolSchema) -> tuple[str, ...]:
    """Return the tools that change nothing, which clients are told.

    `execute_script` is one of them if no operation that scripts may call changes anything.
    """
    if any(changes_something(operation) for operation in tool_schema.operations):
        return (BEGIN,)
    return (BEGIN, EXECUTE)


def _opened_text(question: OpenQuestion, folder: Path) -> str:
    """Return what a client is told when its question is open: what to do next, and how."""
    code = "print(harness.passages('words of the files').shown)"
    example = f'{EXECUTE}({QUESTION_ID}="{question.question_id}", code="{code}")'
    return (
        f"{QUESTION_ID} {question.question_id}\n"
        f"The files of {folder} are below `/`. Next: {example}\n\n"
        f"{question.trial.first_message}"
    )


def _not_open_text(question_id: str) -> str:
    """Return why a call belongs to no open question, and what to do."""
    if question_id:
        return f"the question {question_id!r} is not open: open one with `begin`"
    return f"no {QUESTION_ID} names an open question: open one with `begin`"
