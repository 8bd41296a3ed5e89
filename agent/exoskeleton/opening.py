"""Builds the start of the exoskeleton solver's conversation.

Code makes the *initial calls*, such as `read /docs/rules.md`, before the model is asked.
The conversation starts with the system prompt, then shows these calls with their results,
as if the model had made them (the *exchange*), and ends with the user's first message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from controlplane.agent.events import CallRecord, ConversationOpened, SaidMessage
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.system_prompt import system_prompt
from controlplane.agent.initial_calls.prompt_sections import Section
from controlplane.agent.loop.initial_prompt.message_opening import open_first_message
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.model import ToolCall


def build_opening(
    trial: TrialContext,
    recorder: Recorder,
    settings: LoopSettings,
    bindings: SolverBindings,
) -> ConversationOpened:
    """Make the initial calls of a trial, and return the start of its conversation.

    The user's first message ends with the trial's instruction.
    """
    # 1. Find out how many characters the results of the initial calls may take. The system
    #    prompt counts in its longest form. The final one leaves out tools that are down.
    longest_system = system_prompt(recorder.tool_schema, bindings, settings.prompts)
    room = MessageRoom.beside(longest_system, trial, settings)

    # 2. Make the initial calls, in order to know what the first message shows.
    first_message = open_first_message(trial, recorder, room)

    # 3. Write the system prompt and the messages.
    system = system_prompt(first_message.tool_schema, bindings, settings.prompts)
    prompt = settings.prompts.filled("first_message", instruction=trial.instruction)
    message = [
        *texts_without_call(first_message.sections),
        first_message.instruction_text(prompt),
    ]
    exchange = exchange_of(first_message.sections)
    return first_message.conversation(system, message, exchange)


def exchange_of(sections: Iterable[Section]) -> list[SaidMessage]:
    """Return the messages that show the initial calls, as if the model had made them."""
    exchange: list[SaidMessage] = []
    for number, section in enumerate(sections, start=1):
        if section.call is not None:
            exchange += call_with_result(section, section.call, f"opening_{number}")
    return exchange


def texts_without_call(sections: Iterable[Section]) -> list[str]:
    """Return the texts of the sections that are not results of calls.

    A call's result is shown as the message of a tool. The user's first message has the rest:
    sections such as `(Not shown: 2 documents of /docs.)`, and the remarks about files.
    """
    texts: list[str] = []
    for section in sections:
        if section.call is None:
            texts += section.pieces
        elif section.file_remark:
            # "read /docs/a.md (not begun)": this document is not yet in force.
            texts.append(f"{section.title}{section.file_remark}\n")
    return texts


def call_with_result(
    section: Section, call: CallRecord, call_id: str
) -> list[SaidMessage]:
    """Return an initial call as if the model had made it, and the message with its result.

    `section` has the part of the result that is shown, and a notice if it was cut.
    """
    arguments = json.dumps(call.arguments)
    tool_call = ToolCall(id=call_id, name=call.operation, arguments=arguments)
    shown_result = section.text + section.cut_notice
    return [
        SaidMessage(role="assistant", content="", tool_calls=(tool_call,)),
        SaidMessage(role="tool", content=shown_result, tool_call_id=call_id),
    ]
