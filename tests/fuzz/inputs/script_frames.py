"""Right frames, one of each kind, that the process of a script sends to its parent.

    {"number": 1, "body": {"kind": "call", "operation": "read", ...}}

`number` marks a request, which the parent answers, and `body` says what is requested. Any frame of
a script may also have `printed` text, or the `scratchpad`: the values that it keeps for later steps.
"""

from typing import Any

PRINTED = {"printed": "text"}
"""The script has printed a text."""

SCRATCHPAD = {"scratchpad": {"a": 1}}
"""The script has changed its scratchpad."""

CALL = {
    "scratchpad": {"a": [1]},
    "number": 1,
    "body": {
        "kind": "call",
        "operation": "read",
        "positional": [],
        "named": {"path": "/AGENTS.MD", "start_line": 0, "end_line": 0},
    },
}
"""The script calls `harness.read("/AGENTS.MD")`."""

CITATION = {
    "number": 1,
    "body": {
        "kind": "cite",
        "path": "/AGENTS.MD",
        "reason": "the rules of the workspace",
        "quote": "",
    },
}
"""The script calls `scratchpad.cite("/AGENTS.MD", "the rules of the workspace")`."""

ANSWER = {
    "scratchpad": {"answer": "x", "outcome": "OUTCOME_OK", "refs_why": {}},
    "number": 1,
    "body": {
        "kind": "answer",
        "verify_is_callable": True,
        "verify_takes_one_argument": True,
    },
}
"""The script calls `harness.answer(scratchpad, verify)`, where `verify` checks the answer."""

REPLY_OF_VERIFY = {"body": {"kind": "ok", "value": True}}
"""The parent has asked the process to call `verify`, which returned True."""

END_OF_STEP = {
    "scratchpad": {"b": {"$": "set", "v": [1]}},  # {1}, which JSON cannot write
    "body": {
        "kind": "end",
        "ending": "finished",
        "error": "",
        "end_of_output": "",
        "is_spent": False,
    },
}
"""The script has ended without an error. Its process may run further scripts: it is not spent."""

SCRIPT_FRAMES: list[dict[str, Any]] = [
    PRINTED,
    SCRATCHPAD,
    CALL,
    CITATION,
    ANSWER,
    REPLY_OF_VERIFY,
    END_OF_STEP,
]
