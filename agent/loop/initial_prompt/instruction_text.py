"""The end of the first message, which has the instruction: the request of the user.

It is the prompt `first_message.md` with the instruction in its hole. This prompt begins with a
text about citations, which is left out if there is nothing to cite:

    "All above can be cited. <instruction>Renew my loan</instruction>"
        -> "<instruction>Renew my loan</instruction>"
"""

from __future__ import annotations


def instruction_text(filled_prompt: str, *, has_citable: bool) -> str:
    """Return the end of a first message, from the prompt with the instruction in its hole.

    `has_citable` is true if the message shows something that can be cited.
    """
    if has_citable:
        return filled_prompt
    _, mark, instruction = filled_prompt.partition("<instruction>")
    if not mark:
        return filled_prompt  # The user's own prompt may lack the mark.
    return mark + instruction
