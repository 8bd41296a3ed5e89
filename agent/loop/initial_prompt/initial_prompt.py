"""Builds the start of a trial's conversation: the system prompt and the first message.

A first message shows the rules of the workspace, and the documents and records that fit the
request. It ends with the instruction (the request that the trial must carry out).
"""

from __future__ import annotations

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.sections.section_marks import without_marks
from controlplane.agent.loop.initial_prompt.first_message import open_first_message
from controlplane.agent.loop.initial_prompt.instruction_text import instruction_text
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.initial_prompt.system_prompt import system_prompt
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_context import TrialContext


def build_initial_prompt(
    trial: TrialContext, recorder: Recorder, settings: LoopSettings | None = None
) -> ConversationOpened:
    """Make the initial calls of a trial, and return the system prompt and the first message.

    `settings` say, for example, how many characters of documents the message may show.
    """
    settings = settings or LoopSettings()
    prompts = settings.prompts
    in_fences = settings.replies_in_fences

    # 1. Find out how many characters the results of the initial calls may take. The system
    #    prompt counts in its longest form. The final one leaves out tools that are down.
    longest_system = system_prompt(recorder.tool_schema, prompts, in_fences=in_fences)
    room = MessageRoom.beside(longest_system, trial, settings)

    # 2. Make the initial calls, and put those results that fit the request into sections.
    results = open_first_message(trial, recorder, room)

    # 3. Write the system prompt, and the message: the sections, then the instruction.
    system = system_prompt(results.tool_schema, prompts, in_fences=in_fences)
    instruction = without_marks(trial.instruction)
    prompt = prompts.filled("first_message", instruction=instruction)
    message: list[str] = []
    for section in results.sections:
        message += section.pieces
    message.append(instruction_text(prompt, has_citable=results.has_citable))
    return results.opened(recorder.trial_id, system, message)
