"""Opens the conversation of a trial in which the model writes scripts.

It begins with the system prompt, and a first message with the results of the initial calls.
"""

from __future__ import annotations

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.earlier_attempt import open_prompt
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Message


def open_conversation(session: TrialSession, settings: LoopSettings) -> list[Message]:
    """Make the initial calls, and return the messages with which the conversation begins.

    If an earlier attempt has opened it, no calls are made, and the recorded messages are
    returned.
    """

    def make_initial_calls(recorder: Recorder) -> ConversationOpened:
        return build_initial_prompt(session.trial, recorder, settings)

    opened = open_prompt(session, make_initial_calls)
    return [
        Message(role="system", content=opened.system),
        Message(role="user", content="".join(opened.first_message)),
    ]
