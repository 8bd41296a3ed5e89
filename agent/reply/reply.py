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
    """Return the tool call that holds the action; None if the action can only be in the text."""
    # 1. A call of the tool `execute_script`, or of a tool without a name
    for call in reply.tool_calls:
        # Some models put a namespace before the name.
        name = call.name.rpartition(".")[2]
        has_arguments = call.arguments.strip() not in ("", "null", "{}")
        if name in (TOOL_NAME, "") and has_arguments:
            return call

    # 2. The only call, if its arguments are clearly an action. Some models invent a name for
    #    the tool: `run({"state": "", "code": "1"})`
    if len(reply.tool_calls) == 1:
        (call,) = reply.tool_calls
        arguments = read_object(call.arguments)
        if arguments is not None and is_clear_action(arguments):
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

    Args:
        text: The text, or the arguments of the tool call that holds the action.
        finish_reason: Why the model stopped: `stop`, `length`, `refusal` ...
        other_calls: Calls of other tools. They only tell why the text is empty.
        reasoning: Thinking apart from the text. It only tells why the text is empty.
    """
    # A reply that was cut off is never used: the missing part may change its meaning.
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
        # The model is told of `others`, its further actions, which are not run.
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
