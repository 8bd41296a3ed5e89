"""Reads prompt texts and fills their holes. All prompt text lives in the folder `prompts/`."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[2] / "prompts"
"""Found by its place beside this package: a folder `prompts` where somebody works is not it."""
HOLES: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"modules", "harness", "executables"}),
    "turn_one": frozenset({"instruction"}),
    "warning": frozenset({"left"}),
    "nudge": frozenset({"left"}),
    "time": frozenset({"seconds"}),
    "context": frozenset({"tokens"}),
    "unusable": frozenset({"reason"}),
    "exoskeleton": frozenset({"calls", "executables"}),
    "reminder": frozenset(),
    "classify": frozenset({"fields"}),
    "classify_request": frozenset({"instruction"}),
    "format": frozenset({"rules"}),
    "format_request": frozenset({"instruction", "message"}),
}
"""Every prompt, and the holes that its callers fill."""
_HOLE: Final = re.compile(r"\{\{(\w+)\}\}")


class PromptError(Exception):
    """A prompt text is missing, or has a hole that nothing fills."""


@functools.cache
def prompt_text(name: str) -> str:
    """Return the text of `prompts/<name>.md`. Raises `PromptError`."""
    try:
        return (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the prompt prompts/{name}.md cannot be read: {error}"
        raise PromptError(msg) from error


def filled(name: str, **values: object) -> str:
    """Return the prompt `name` with its holes filled. Raises `PromptError` for a hole without a value."""
    text = prompt_text(name)
    check_holes(name, text, values.keys())
    return _HOLE.sub(lambda hole: str(values[hole[1]]), text)


def check_holes(name: str, text: str, known: Collection[str]) -> None:
    """Raise `PromptError` for a hole in `text` that is not `known`."""
    for number, line in enumerate(text.splitlines(), start=1):
        for hole in _HOLE.finditer(line):
            if hole[1] not in known:
                holes = ", ".join(sorted(known)) or "none"
                msg = (
                    f"prompts/{name}.md, line {number}: it has the hole {hole[0]}, which nothing fills (known: {holes})"
                )
                raise PromptError(msg)


def check_prompts() -> None:
    """Raise `PromptError` if a prompt is missing or has a hole that nothing fills."""
    for name, holes in HOLES.items():
        check_holes(name, prompt_text(name), holes)


def prompts_digest() -> str:
    """Return a hash over all prompt texts, so that a journal says which ones it ran with."""
    digest = hashlib.sha256()
    for each in sorted(FOLDER.glob("*.md")):
        digest.update(each.name.encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
