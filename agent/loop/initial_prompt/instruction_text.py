"""The end of the first message, which has the instruction: the request of the user.

It is the prompt `first_message.md` with the instruction in its hole. This prompt begins with a
text about citations, which is left out if there is nothing to cite:

    "All above can be cited. <instruction>Renew my loan</instruction>"
        -> "<instruction>Renew my loan</instruction>"
"""

from __future__ import annotations

from controlplane.agent.loop.initial_prompt.first_message import FirstMessage


def instruction_text(message: FirstMessage, filled_template: str) -> str:
    """Return the end of a first message, from the prompt with the instruction in its hole."""
    if message.sections and message.tool_schema.is_cited:
        return filled_template
    _, mark, instruction = filled_template.partition("<instruction>")
    if not mark:
        return filled_template  # The user's own template may lack the mark.
    return mark + instruction
