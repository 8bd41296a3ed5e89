"""What a client is told after its call: objections in its own terms, and advice."""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.mcp.serving.call_scripts import is_submission
from controlplane.mcp.serving.client_tools import EXECUTE

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
    if is_submission(tool):
        return f"Next: fix what the checks object to, and call `{tool}` again."
    return ""
