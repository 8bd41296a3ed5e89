"""The script that a client's call of a tool becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.mcp.serving.client_tools import EXECUTE, REPORT_COMPLETION, SUBMIT
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes
from controlplane.sandbox.interface.outcomes import Outcomes


def script_of(tool: str, arguments: Mapping[str, Any], tool_schema: ToolSchema) -> str:
    """Return the script for a call of a tool. Raises `CallError` for an invalid call."""
    if tool == EXECUTE:
        code = arguments.get("code")
        if not isinstance(code, str) or not code.strip():
            msg = f"{EXECUTE} takes code, a Python script"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return code
    if is_submission(tool):
        return _submission_script(arguments, tool_schema.outcomes)
    if tool_schema.operation(tool) is None:
        raise CallError(error_codes.INVALID_ARGUMENT, f"there is no tool {tool!r}")
    return _OPERATION_SCRIPT.format(tool=tool, arguments=repr(dict(arguments)))


def is_submission(tool: str) -> bool:
    """Return True if a tool submits the answer."""
    return tool in (SUBMIT, REPORT_COMPLETION)


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
        path = str(citation.get("path") or "")
        reason = str(citation.get("reason") or "")
        quote = str(citation.get("quote") or "")
        cited.append((path, reason, quote))
    return _SUBMISSION_SCRIPT.format(
        answer=repr(str(arguments.get("answer", ""))),
        outcome=repr(str(arguments.get("outcome") or outcomes.done)),
        citations=repr(cited),
    )
