"""Reads the action from a reply of a model.

An action is one JSON object `{state, plan, done, code}`, with the script of one turn.
`action_of` also accepts other forms if their meaning is certain: an object after prose,
an object in Python's syntax, a tool call, or a fence of Python. It never guesses: code
that was cut off, that appears twice, or that cannot be read gives `Unusable`, with the
reason for the model.

`action_search` finds the action in the text, `code_repairs` and `program_repairs` repair the
form of its code, and `thinking_text` removes thinking.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError

from controlplane.agent.model import TOOL_NAME, Reply, ToolCall
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.action_objects import is_clear_action
from controlplane.agent.reply.action_search import find_action
from controlplane.agent.reply.object_text import read_object
from controlplane.agent.reply.thinking_text import without_thoughts
from controlplane.agent.reply.unusable_reply import Fault, Unusable, unusable
from controlplane.sandbox.interface import bounds

MAX_QUOTED_REFUSAL_CHARS: Final = 300
MAX_QUOTED_NAME_CHARS: Final = 80


def action_call(reply: Reply) -> ToolCall | None:
    """Return the tool call that holds the action; None if the action is in the reply's text.

    It is the first call of the tool `execute_script`, or of a tool without a name, that has
    arguments. Some models invent a name for the tool: `run({"state": "", "code": "1"})`. The
    only call of a reply is therefore accepted if its arguments are clearly an action.
    """
    for call in reply.tool_calls:
        # Some models put a namespace before the name.
        name = call.name.rpartition(".")[2]
        has_arguments = call.arguments.strip() not in ("", "null", "{}")
        if name in (TOOL_NAME, "") and has_arguments:
            return call
    if len(reply.tool_calls) == 1:
        (call,) = reply.tool_calls
        if is_clear_action(read_object(call.arguments) or {}):
            return call
    return None


def action_of(
    text: str,
    finish_reason: str = "stop",
    *,
    other_calls: Sequence[ToolCall] = (),
    reasoning: str = "",
) -> Action | Unusable:
    """Return the action in a reply's text, or the reason why it has none.

    A reply that was cut off at the length limit is never used, because the missing part
    may change its meaning. `other_calls` (calls of other tools than `execute_script`) and
    `reasoning` (thinking apart from the text) only help to name the reason for an empty text.
    """
    if finish_reason == "length":
        advice = ", so nothing of it was run: do less in this step, keep state and plan brief"
        return unusable(Fault.CUT_OFF, advice)
    if finish_reason == "refusal":
        refusal = " ".join(text.split())[:MAX_QUOTED_REFUSAL_CHARS]
        return unusable(Fault.REFUSED, f", {refusal!r}: go on with what can be done")
    if not text.strip():
        return reply_without_text(finish_reason, other_calls, reasoning)
    text_without_thoughts = without_thoughts(text)[: bounds.MOST_PARSED_CHARS]
    if not text_without_thoughts.strip():
        return unusable(Fault.ONLY_THOUGHTS)

    found = find_action(text_without_thoughts)
    if isinstance(found, Unusable):
        return found
    try:
        # `others` tells the model that its further actions were not run.
        return Action.model_validate({**found.fields, "others": found.further_actions})
    except ValidationError:
        return unusable(Fault.WRONG_SHAPE)


def reply_without_text(
    finish_reason: str, other_calls: Sequence[ToolCall], reasoning: str
) -> Unusable:
    """Return the reason why a reply has no text, and so no action."""
    if finish_reason == "content_filter":
        return unusable(Fault.FILTERED)
    if other_calls:
        name = other_calls[0].name[:MAX_QUOTED_NAME_CHARS]
        return unusable(Fault.WRONG_TOOL, f", {name!r}")
    if reasoning.strip():
        return unusable(Fault.ONLY_THOUGHTS)
    return unusable(Fault.EMPTY)
