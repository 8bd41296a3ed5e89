"""The prompts that a run has, and which holes each of them may and must have.

A prompt is a Markdown file, such as `first_message.md`. A *hole* in it, such as
`{{instruction}}`, is a place that a trial fills.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class PromptFile(NamedTuple):
    """What the text of a prompt may and must have."""

    holes: frozenset[str]
    """The names of its holes: `instruction` for the place `{{instruction}}`."""
    needed_hole: str = ""
    """The hole without which the model would not see the request; empty if none is needed."""
    is_optional: bool = False
    """True if a user's folder may leave the prompt out. The product's own is then used."""


SYSTEM_HOLES: Final = frozenset({"form", "example", "harness", "executables"})
"""The form of a reply (JSON or a fence), an example of one, the calls of the object
`harness`, and the executables, which are programs that a script can run."""

PROMPT_FILES: Final[Mapping[str, PromptFile]] = {
    # The system prompt, for environments whose answers cite sources, and for others. Few
    # environments are without citations, so that prompt may be left out.
    "system": PromptFile(SYSTEM_HOLES),
    "uncited": PromptFile(SYSTEM_HOLES, is_optional=True),
    # The text around the request
    "first_message": PromptFile(frozenset({"instruction"}), needed_hole="instruction"),
    # Told to the model some steps before the limit of steps, and at it ("answer now").
    # `left` is the number of remaining steps.
    "warning": PromptFile(frozenset({"left"})),
    "nudge": PromptFile(frozenset({"left"})),
    # Told to the model if little time, or little of its context, is left
    "time": PromptFile(frozenset({"seconds"})),
    "context": PromptFile(frozenset({"tokens"})),
    # Told to the model after a reply without an action
    "unusable": PromptFile(frozenset({"reason"})),
    # The requests of the exoskeleton, the solver whose model calls tools
    "exoskeleton": PromptFile(frozenset({"calls", "executables"})),
    "reminder": PromptFile(frozenset()),
    "classify": PromptFile(frozenset({"fields"})),
    "classify_request": PromptFile(
        frozenset({"instruction"}), needed_hole="instruction"
    ),
    "check_draft": PromptFile(frozenset({"fields"})),
    "format": PromptFile(frozenset({"rules"})),
    "format_request": PromptFile(
        frozenset({"instruction", "message"}), needed_hole="message"
    ),
}
"""The prompts by name. The text of `first_message` is in `first_message.md`."""
