"""The event that records the start of a conversation: the system prompt and the first message.

The message has sections with the results of the initial calls, and ends with the instruction:

    message    "<section ...>", "A key is lent for a day.", "</section>",
               "<instruction>Renew my loan</instruction>"
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.events import ConversationOpened, SaidMessage
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.shortened_message import (
    context_that_shortens,
)


def opened_conversation(
    draft: MessageDraft,
    system: str,
    message: Sequence[str],
    exchange: Sequence[SaidMessage] = (),
) -> ConversationOpened:
    """Return the event that records the start of the conversation and the initial calls.

    `message` is the whole first message, as texts that are joined without separators. A solver may
    show the results of the initial calls in an `exchange` instead: messages in which the model
    seems to have made these calls.
    """
    recorder = draft.recorder
    return ConversationOpened(
        trial_id=recorder.trial_id,
        system=system,
        first_message=tuple(message),
        exchange=tuple(exchange),
        calls=tuple(recorder.current_step.calls),
        rules=draft.facts.rules,
        files=draft.ranked_files,
        shortened_for=context_that_shortens(draft),
    )
