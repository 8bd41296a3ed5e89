"""Builds the start of a trial's conversation: the system prompt and the first message.

A first message shows the rules of the workspace, and the documents and records that fit the
request. It ends with the instruction (the request that the trial must carry out).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.section_marks import without_marks
from controlplane.agent.loop.initial_prompt.message_opening import open_first_message
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.initial_prompt.system_prompt import system_prompt
from controlplane.agent.loop.prompt_files import default_prompts
from controlplane.agent.loop.prompt_texts import Prompts

DEFAULT_PROMPT_CHARS: Final = 120_000
"""Max characters of documents and listings in a first message."""


@dataclass(frozen=True, slots=True)
class PromptReader:
    """The facts about the model that reads an initial prompt."""

    context_tokens: int | None = None
    """The size of its context in tokens; None if unknown."""
    replies_in_fences: bool = False
    """True if it is asked for scripts in fences instead of JSON."""


def build_initial_prompt(
    instruction: str,
    recorder: Recorder,
    most_chars: int = DEFAULT_PROMPT_CHARS,
    *,
    prompts: Prompts | None = None,
    now: datetime | None = None,
    reader: PromptReader | None = None,
) -> ConversationOpened:
    """Make the initial calls, and return the system prompt and the first message.

    The message shows at most `most_chars` characters of documents and listings, and
    fewer if the model's context is small. `prompts` default to the product's own. `now`
    is the trial's time. `reader` describes the model.
    """
    prompts = prompts or default_prompts()
    reader = reader or PromptReader()
    in_fences = reader.replies_in_fences

    # 1. Find out how many characters the results of the initial calls may take. The system
    #    prompt counts in its longest form. The final one leaves out tools that are down.
    longest_system = system_prompt(recorder.tool_schema, prompts, in_fences=in_fences)
    other_chars = len(longest_system) + len(instruction)
    room = MessageRoom(most_chars, reader.context_tokens, other_chars)

    # 2. Make the initial calls, and put those results that fit the request into sections.
    first_message = open_first_message(recorder, instruction, room, now)

    # 3. Write the system prompt, and the message: the sections, then the instruction.
    system = system_prompt(first_message.tool_schema, prompts, in_fences=in_fences)
    prompt = prompts.filled("first_message", instruction=without_marks(instruction))
    message = [*first_message.pieces, first_message.instruction_text(prompt)]
    return first_message.conversation(system, message)
