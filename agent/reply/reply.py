"""Reads the action from a reply of a model: the script of one turn, and remarks about it.

| reply | `action_of` returns |
|---|---|
| `{"state": "reading", "code": "print(1)"}` | `Action(state="reading", code="print(1)")` |
| `I look:` and a block of Python with `print(1)` | `Action(code="print(1)")` |
| `{"state": "reading", "code": "pri` | `Unusable`, with the reason for the model |

Forms other than JSON are accepted if their meaning is certain. `action_of` never guesses: code
that was cut off, or that cannot be read, is not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError

from controlplane.agent.model import ToolCall
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.action_search import find_action
from controlplane.agent.reply.empty_reply import fault_of_empty_text
from controlplane.agent.reply.fault import Fault
from controlplane.agent.reply.thinking_text import without_thoughts
from controlplane.agent.reply.unusable_reply import Unusable
from controlplane.sandbox.interface import bounds

MAX_QUOTED_REFUSAL_CHARS: Final = 300


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
        return Unusable(Fault.CUT_OFF, advice)
    if finish_reason == "refusal":
        refusal = " ".join(text.split())[:MAX_QUOTED_REFUSAL_CHARS]
        return Unusable(Fault.REFUSED, f", {refusal!r}: go on with what can be done")
    if not text.strip():
        return fault_of_empty_text(finish_reason, other_calls, reasoning)

    answer = without_thoughts(text)[: bounds.MOST_PARSED_CHARS]
    if not answer.strip():
        return Unusable(Fault.ONLY_THOUGHTS)
    found = find_action(answer)
    if isinstance(found, Unusable):
        return found
    try:
        return Action.model_validate(
            {**found.fields, "further_actions": found.further_actions}
        )
    except ValidationError:
        return Unusable(Fault.WRONG_SHAPE)
