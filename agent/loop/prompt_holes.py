"""Checks the holes of a prompt before a run: the places that each trial fills.

With a misspelled hole, the model would read `{{instuction}}` instead of the request, in every
trial. For the prompt `warning`, which may have the hole `left`, the number of remaining steps:

    "{{left}} steps are left"   -> nothing
    "{{lef}} steps are left"    -> raises "warning.md, line 1: it has the hole {{lef}}, which ..."
"""

from __future__ import annotations

from pathlib import Path

from controlplane.agent.loop.known_prompts import PromptFile
from controlplane.agent.loop.prompt_text_file import PromptError
from controlplane.agent.loop.prompt_texts import HOLE


def check_holes(path: Path, text: str, prompt_file: PromptFile) -> None:
    """Raise `PromptError` for an unknown hole, or if a needed hole is missing."""
    for number, line in enumerate(text.splitlines(), start=1):
        for hole in HOLE.finditer(line):
            if hole[1] not in prompt_file.holes:
                known = ", ".join(sorted(prompt_file.holes))
                msg = (
                    f"{path}, line {number}: it has the hole {hole[0]}, which nothing fills "
                    f"(known: {known})"
                )
                raise PromptError(msg)

    if not prompt_file.needed_hole:
        return
    hole_text = "{{" + prompt_file.needed_hole + "}}"
    if hole_text not in text:
        msg = f"{path} lacks the hole {hole_text}, without which the model is not told what is asked"
        raise PromptError(msg)
