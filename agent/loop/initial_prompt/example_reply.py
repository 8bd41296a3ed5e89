"""The example reply in the system prompt: a script that answers an invented question.

It shows all that a reply may have: it reads files, cites them, and submits an answer with its
`verify`. Small models copy its form.
"""

from __future__ import annotations

import json
from typing import Final

from controlplane.sandbox.interface import FILE_OPERATIONS, ToolSchema

JSON_FORM: Final = (
    "Reply with one JSON object alone: `state` (one line), `plan` (up to five steps), `done` and "
    "`code` (Python, run at once)."
)
FENCED_FORM: Final = "Reply with a line `state: ...` and one whole script in a ```python fence, which is run at once."
"""For models that fail to escape quotation marks and newlines in JSON strings."""

_QUESTION: Final = "How many parcels are late? Answer with [LATE:%d]."

_SCRIPT_START: Final = """\
late = []
for path in harness.find("*.json", root="/parcels", limit=0).paths:
    parcel = harness.read(path).json()
    if parcel["status"] == "late":
        late.append(parcel["id"])
"""
"""Reads the records of a folder."""
_CITATION: Final = """\
        scratchpad.cite(path, f"{parcel['id']} is late")
"""
"""Cites each record, inside of the loop. Left out if an environment has no citations."""
_SCRIPT_END: Final = """\
answer = "[LATE:%d]" % len(late)
scratchpad["answer"] = answer
scratchpad["outcome"] = "OUTCOME_OK"
def verify(sp):
    return sp["answer"] == answer
harness.answer(scratchpad, verify)"""
"""Computes the answer and submits it. `verify` is the script's own check of what it
submits. A real one may compute the answer in a second way; this is the shortest form."""


def example_reply(tool_schema: ToolSchema, *, in_fences: bool = False) -> str:
    """Return a complete example reply, with the question that it answers.

    The example is about invented files. All trials of an environment get the same, so
    that an endpoint can cache the system prompt. If scripts cannot read files, the
    example prints `harness`, the object with all calls.
    """
    if not _can_read(tool_schema):
        action = {
            "state": "nothing is known yet",
            "plan": ["look at what can be called", "answer"],
            "done": False,
            "code": "print(harness)",
        }
        return f"The first reply may be:\n\n{_written(action, in_fences)}"

    script = _SCRIPT_START
    if tool_schema.is_cited:
        script += _CITATION
    script += _SCRIPT_END
    action = {
        "state": "the parcels decide",
        "plan": [],
        "done": True,
        "code": script,
    }
    return f'For "{_QUESTION}" a whole reply is:\n\n{_written(action, in_fences)}'


def _written(action: dict[str, object], in_fences: bool) -> str:
    """Return an action as a model writes it: its state and script in a fence, or all as JSON."""
    if in_fences:
        return f"state: {action['state']}\n```python\n{action['code']}\n```"
    return json.dumps(action)


def _can_read(tool_schema: ToolSchema) -> bool:
    """Return True if scripts can call `read` and `find`, as the example does."""
    for name in ("read", "find"):
        if tool_schema.operation(name) not in FILE_OPERATIONS:
            return False
    return True
