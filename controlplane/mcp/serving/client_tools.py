"""The tools that a trial offers to a client, and the script that each call becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import re2

from controlplane.agent.exoskeleton import operation_tool, references_schema
from controlplane.agent.loop import served_text
from controlplane.agent.model import Tool, object_schema
from controlplane.gates.submission import OUTCOMES, encodable
from controlplane.sandbox.interface import CallError, Effect, ToolSchema, error_codes

EXECUTE: Final = "execute_script"
SUBMIT: Final = "submit_answer"
REPORT_COMPLETION: Final = "report_completion"
"""The name of the tool that submits the answer of a single trial."""
BEGIN: Final = "begin"
QUESTION_ID: Final = "question_id"
"""The argument and the result field that say which of its open questions a client means."""
CHANGING: Final = (
    Effect.WRITES,
    Effect.DELETES,
    Effect.MOVES,
    Effect.EXECUTES,
    Effect.ACTS,
    Effect.UNDECLARED,
)
"""The effects of operations that may change something."""

# --- The tools ---


def question_tools(tool_schema: ToolSchema) -> list[Tool]:
    """Return the tools of a server for questions: `begin`, and the tools of a trial.

    A call of a trial's tool may name the question that it belongs to.
    """
    begin = Tool(
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
    tools = [_execute_tool(tool_schema), _submission_tool(SUBMIT)]
    for tool in tools:
        tool.parameters["properties"][QUESTION_ID] = {
            "type": "string",
            "description": "the id that `begin` returned; needed if several questions are open",
        }
    return [begin, *tools]


def trial_tools(tool_schema: ToolSchema) -> list[Tool]:
    """Return the tools of a single trial: `execute_script`, `report_completion`, and operations."""
    tools = [_execute_tool(tool_schema), _submission_tool(REPORT_COMPLETION)]
    for operation in tool_schema.operations:
        # Tools of MCP servers, such as `files.read_file`, are left out, since a client can
        # call them itself. The benchmark's functions are only for scripts.
        is_of_mcp_server = "." in operation.name
        if not is_of_mcp_server and not operation.is_function:
            tools.append(operation_tool(operation))
    return tools


def _execute_tool(tool_schema: ToolSchema) -> Tool:
    """Return the tool with which a client runs a script."""
    parameters = object_schema({"code": {"type": "string"}})
    return Tool(
        name=EXECUTE, description=served_text(tool_schema), parameters=parameters
    )


CITED: Final = (
    "every file that the answer rests on, with the reason (at least 8 characters) and its exact "
    "words"
)


def _submission_tool(name: str) -> Tool:
    """Return the tool with which a client submits its answer, under this name."""
    parameters: dict[str, dict[str, object]] = {
        "answer": {"type": "string"},
        "outcome": {"type": "string", "enum": list(OUTCOMES), "default": OUTCOMES[0]},
        "citations": references_schema(CITED),
        "tokens": {
            "type": "integer",
            "description": "optional: tokens that the answer took in all",
        },
        "cost_usd": {"type": "number", "description": "optional: what they cost"},
    }
    return Tool(
        name=name,
        description="Submits the answer, which is checked: objections come back, to be fixed.",
        parameters=object_schema(parameters, ["answer"]),
    )


# --- The script of a call ---


def script_of(tool: str, arguments: Mapping[str, Any], tool_schema: ToolSchema) -> str:
    """Return the script for a call of a tool. Raises `CallError` for an invalid call."""
    if tool == EXECUTE:
        code = arguments.get("code")
        if not isinstance(code, str) or not code.strip():
            msg = f"{EXECUTE} takes code, a Python script"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return code
    if tool in (SUBMIT, REPORT_COMPLETION):
        return _submission_script(arguments)
    if tool_schema.operation(tool) is None:
        raise CallError(error_codes.INVALID_ARGUMENT, f"there is no tool {tool!r}")
    return _OPERATION_SCRIPT.format(tool=tool, arguments=repr(dict(arguments)))


def check_question_call(tool: str, arguments: Mapping[str, Any]) -> None:
    """Raise `CallError` if a call of `question_tools` cannot be turned into a script."""
    # A server for questions has no tools for single operations.
    no_operations = ToolSchema(operations=())
    script_of(tool, arguments, no_operations)


# Templates for `str.format`, which makes single braces of `{{` and `}}`. Values are
# inserted as Python literals.
#
# The script of a submission first drops the citations of earlier submissions, which are
# in `refs_why`. If `cite` raises an error, its words tell which argument of the client
# is wrong.

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


def _submission_script(arguments: Mapping[str, Any]) -> str:
    """Return the script that makes a client's citations and submits its answer."""
    citations = arguments.get("citations") or []
    if not isinstance(citations, list) or not all(
        isinstance(item, dict) for item in citations
    ):
        msg = "`citations` takes objects with path, reason and, optionally, quote"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    cited = []
    for citation in citations:
        path = str(citation.get("path") or "")
        reason = str(citation.get("reason") or "")
        quote = str(citation.get("quote") or "")
        cited.append((path, reason, quote))
    return _SUBMISSION_SCRIPT.format(
        answer=repr(str(arguments.get("answer", ""))),
        outcome=repr(str(arguments.get("outcome") or OUTCOMES[0])),
        citations=repr(cited),
    )


# --- Messages to a client ---


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


def in_client_words(result: str) -> str:
    """Return only the objections to a submission, with the names of the client's arguments.

    For example, this output of a script

        <error>
        GateRejection: nothing is cited: add `scratchpad.cite(path, reason)` for each file
        </error>

    becomes "nothing is cited: add an object of `citations` for each file".
    """
    objection = _OBJECTION.search(encodable(result))
    if objection is None:
        return result
    text = str(objection[1]).strip()
    for script_words, client_words in _CLIENT_WORDS:
        text = text.replace(script_words, client_words)
    return text


def advice_after_failure(tool: str) -> str:
    """Return advice for a client whose call failed; empty for a call of an operation."""
    if tool == EXECUTE:
        return f"Next: fix the script, and call `{EXECUTE}` again."
    if tool in (SUBMIT, REPORT_COMPLETION):
        return f"Next: fix what the checks object to, and call `{tool}` again."
    return ""


# Larger numbers, which cannot be true, are ignored: they would spoil the run's totals.
MOST_REPORTED_TOKENS: Final = 10**12
MOST_REPORTED_USD: Final = 10**9


def reported_usage(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tokens and the cost that a program reports, as fields of a reply."""
    tokens = arguments.get("tokens")
    cost_usd = arguments.get("cost_usd")
    fields: dict[str, Any] = {}
    if isinstance(tokens, int) and 0 <= tokens < MOST_REPORTED_TOKENS:
        fields["usage"] = {"prompt_tokens": tokens}
    if isinstance(cost_usd, int | float) and 0 <= cost_usd < MOST_REPORTED_USD:
        fields["cost_usd"] = float(cost_usd)
        fields["cost_source"] = "vendor"
    return fields
