"""Builds the start of the exoskeleton solver's conversation.

Code makes the *initial calls*, such as `read /docs/rules.md`, before the model is asked:

    system       the system prompt
    assistant    the call of read, as if the model had made it
    tool         the result of the call
    user         remarks about the files, and the request: "Renew loan l-12"

The messages of the assistant and the tool, two for each initial call, are the *exchange*.
"""

from __future__ import annotations

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.exchange import exchange_of, texts_beside_exchange
from controlplane.agent.exoskeleton.system_prompt import system_prompt
from controlplane.agent.loop.initial_prompt.first_message import open_first_message
from controlplane.agent.loop.initial_prompt.instruction_text import instruction_text
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.model import Message


def build_opening(
    trial: TrialContext,
    recorder: Recorder,
    settings: LoopSettings,
    bindings: SolverBindings,
) -> ConversationOpened:
    """Make the initial calls of a trial, and return the start of its conversation."""
    # 1. Find out how many characters the results of the initial calls may take. The system
    #    prompt counts in its longest form. The final one leaves out tools that are down.
    longest_system = system_prompt(recorder.tool_schema, bindings, settings.prompts)
    room = MessageRoom.beside(longest_system, trial, settings)

    # 2. Make the initial calls. Each has a section, with its result as far as it is shown.
    results = open_first_message(trial, recorder, room)

    # 3. Write the system prompt, the pieces of the user's message, and the exchange.
    system = system_prompt(results.tool_schema, bindings, settings.prompts)
    prompt = settings.prompts.filled("first_message", instruction=trial.instruction)
    user_texts = texts_beside_exchange(results.sections)
    user_texts.append(instruction_text(prompt, has_citable=results.has_citable))
    exchange = exchange_of(results.sections)
    return results.opened(recorder.trial_id, system, user_texts, exchange)


def first_messages(opening: ConversationOpened, checks_text: str) -> list[Message]:
    """Return the messages of a conversation's start.

    The user's message ends with the text of the checks that have looked at the request.
    """
    user_text = "".join((*opening.first_message, checks_text))
    return [
        Message(role="system", content=opening.system),
        *(message.message() for message in opening.exchange),
        Message(role="user", content=user_text),
    ]
