"""The parts of a conversation on which the next reply of a scripted model depends.

A scripted model takes its replies from a file. Which of them comes next depends on the system
prompt, on the user's first message, and on the number of replies so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.model.messages import Message


@dataclass(frozen=True, slots=True)
class ScriptedConversation:
    """The parts of a conversation on which the next scripted reply depends."""

    system_prompt: str
    first_message: str
    """The first message of the user."""
    turn: int
    """The number of replies to the user so far, so the first turn is 0."""

    @classmethod
    def of(cls, messages: Sequence[Message]) -> ScriptedConversation:
        """Return the parts of these messages.

        | messages | first message | turn |
        |---|---|---|
        | system `Be brief.`, user `Hi` | `Hi` | 0 |
        | the same, assistant `Yes?`, user `And?` | `Hi` | 1 |

        The messages before the user's first one are the system prompt. If the user has not
        written any, the first message of all counts as the user's.
        """
        first = 0
        for position, message in enumerate(messages):
            if message["role"] == "user":
                first = position
                break
        turn = 0
        for message in messages[first:]:
            if message["role"] == "assistant":
                turn += 1
        system_prompt = "\n".join(message["content"] for message in messages[:first])
        return cls(system_prompt, messages[first]["content"], turn)
