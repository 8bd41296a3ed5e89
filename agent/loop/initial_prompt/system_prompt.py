"""Writes the system prompt: how the model replies, and which calls its scripts can make.

The text is a template with holes such as `{{harness}}`. The name is that of the object by
which scripts make calls (`harness.read(path)`); the hole takes the reference of these calls.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from typing import Final

from controlplane.agent.events import CallRecord, ConversationOpened
from controlplane.agent.loop.initial_prompt.reference import (
    executable_lines,
    operation_lines,
)
from controlplane.agent.loop.prompt_files import Prompts, default_prompts
from controlplane.sandbox.interface import FILE_OPERATIONS, ToolSchema
from controlplane.sandbox.interface.outcomes import INTERNAL, Outcomes

# The script of the example reply in the system prompt.
#
# It answers an invented question about invented files, and shows all that a script may do: it reads
# files, cites them, and submits an answer with its `verify`.

QUESTION: Final = "How many parcels are late? Answer with [LATE:%d]."

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
scratchpad["outcome"] = "{{done}}"
def verify(sp):
    return sp["answer"] == answer
harness.answer(scratchpad, verify)"""
"""Computes the answer and submits it. `verify` is the script's own check of what it
submits. A real one may compute the answer in a second way; this is the shortest form."""


def _example_script(tool_schema: ToolSchema) -> str:
    """Return the script. Without citations, it cites nothing."""
    script_end = _SCRIPT_END.replace("{{done}}", tool_schema.outcomes.done)
    if tool_schema.is_cited:
        return _SCRIPT_START + _CITATION + script_end
    return _SCRIPT_START + script_end


# The example reply in the system prompt, whose form small models copy.
#
# It answers an invented question by a script, in JSON or in a fence:
#
#     {"state": "the parcels decide", "plan": [], "done": true, "code": "late = []\nfor ..."}
#
# A script that cannot read files prints `harness`, the object with all calls.

_JSON_FORM: Final = (
    "Reply with one JSON object alone: `state` (one line), `plan` (up to five steps), `done` and "
    "`code` (Python, run at once)."
)
_FENCED_FORM: Final = "Reply with a line `state: ...` and one whole script in a ```python fence, which is run at once."
"""For models that fail to escape quotation marks and newlines in JSON strings."""


def _example_reply(tool_schema: ToolSchema, *, in_fences: bool = False) -> str:
    """Return a complete example reply, with the question that it answers.

    All trials of an environment get the same, so that an endpoint can cache the system prompt.
    """
    if not _can_read(tool_schema):
        action = {
            "state": "nothing is known yet",
            "plan": ["look at what can be called", "answer"],
            "done": False,
            "code": "print(harness)",
        }
        return f"The first reply may be:\n\n{_written(action, in_fences)}"

    action = {
        "state": "the parcels decide",
        "plan": [],
        "done": True,
        "code": _example_script(tool_schema),
    }
    return f'For "{QUESTION}" a whole reply is:\n\n{_written(action, in_fences)}'


def _written(action: dict[str, object], in_fences: bool) -> str:
    """Return an action as a model writes it: its state and script in a fence, or all as JSON."""
    if in_fences:
        return f"state: {action['state']}\n```python\n{action['code']}\n```"
    return json.dumps(action)


def _can_read(tool_schema: ToolSchema) -> bool:
    """Return True if scripts can call `read` and `find` as the example does.

    An environment may have operations of its own with these names, which take other arguments.
    """
    for name in ("read", "find"):
        if tool_schema.operation(name) not in FILE_OPERATIONS:
            return False
    return True


# The outcomes that the environment's benchmark declares, for the system prompt.
#
#     `OUTCOME_OK`: answered, or done. `OUTCOME_REFUSED`: the rules forbid it. ...

_DONE_SENTENCE: Final = "answered, or done"
"""The meaning of an outcome of the kind `done` that declares no sentence."""
_LINE_CHARS: Final = 126


def _outcome_sentences(outcomes: Outcomes) -> str:
    """Return all outcomes with their meanings, in lines as long as those of the prompt."""
    parts = []
    for outcome in outcomes:
        parts.append(f"`{outcome.name}`: {outcome.sentence or _DONE_SENTENCE}.")
    parts.append(f"`{INTERNAL}`: tools failed.")
    return textwrap.fill(
        " ".join(parts),
        _LINE_CHARS,
        break_long_words=False,
        break_on_hyphens=False,
    )


# Notices for the user about the first messages of a run.
#
# The user sees the progress of a run, but not its messages. If these have less than usual, a
# line says why.


def shortened_notice(opened: ConversationOpened) -> str:
    """Return the notice that a first message was shortened; empty if it was not."""
    context_tokens = opened.shortened_for  # 0 if it was not shortened
    if not context_tokens:
        return ""
    return (
        f"the model's context of {context_tokens:,} tokens has no room for all files that fit: "
        "first messages show fewer"
    )


def failed_searches_notice(calls: Iterable[CallRecord]) -> str:
    """Return the notice that all searches of the initial calls failed; else empty.

    Without any search, it is empty, too. Trials with the same error codes get the same
    notice, so the run can show it once.
    """
    codes: set[str] = set()
    for call in calls:
        if call.operation != "search":
            continue
        if call.error is None:
            return ""  # At least one search has worked.
        codes.add(call.error.code)
    if not codes:
        return ""
    return (
        f"the environment refuses every search of the initial prompt ({', '.join(sorted(codes))}): "
        "records are shown only if a request names their files"
    )


def system_prompt(
    tool_schema: ToolSchema, prompts: Prompts | None = None, *, in_fences: bool = False
) -> str:
    """Return the system prompt for an environment. All its trials have the same.

    `prompts` default to the product's own. `in_fences` asks for scripts in ```python
    fences instead of JSON.
    """
    prompts = prompts or default_prompts()
    calls = operation_lines(tool_schema.operations, is_cited=tool_schema.is_cited)
    executables = executable_lines(tool_schema)
    prompt_name = "system" if tool_schema.is_cited else "uncited"
    text = prompts.filled(
        prompt_name,
        form=_FENCED_FORM if in_fences else _JSON_FORM,
        example=_example_reply(tool_schema, in_fences=in_fences),
        harness="\n".join(calls),
        executables="\n".join(executables) or "(none declared)",
        done=tool_schema.outcomes.done,
        outcomes=_outcome_sentences(tool_schema.outcomes),
    )
    return prompts.with_hints(text)
