"""Reads prompt texts and fills their holes. All prompt text lives in the folder `prompts/`."""

from __future__ import annotations

import functools
import hashlib
import re
from importlib import resources
from typing import Final

_HOLE: Final = re.compile(r"\{\{(\w+)\}\}")


class PromptError(Exception):
    """A prompt text is missing, or has a hole that nothing fills."""


@functools.cache
def prompt_text(name: str) -> str:
    """Return the text of `prompts/<name>.md`. Raises `PromptError`."""
    try:
        return resources.files("prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError) as error:
        msg = f"the prompt prompts/{name}.md cannot be read: {error}"
        raise PromptError(msg) from error


def filled(name: str, **values: object) -> str:
    """Return the prompt `name` with its holes filled. Raises `PromptError` for a hole without a value."""

    def value_of(hole: re.Match[str]) -> str:
        if hole[1] not in values:
            known = ", ".join(sorted(values)) or "none"
            msg = f"prompts/{name}.md has the hole {{{{{hole[1]}}}}}, which nothing fills (known: {known})"
            raise PromptError(msg)
        return str(values[hole[1]])

    return _HOLE.sub(value_of, prompt_text(name))


def prompts_digest() -> str:
    """Return a hash over all prompt texts, so that a journal says which ones it ran with."""
    digest = hashlib.sha256()
    files = (each for each in resources.files("prompts").iterdir() if each.name.endswith(".md"))
    for each in sorted(files, key=lambda file: file.name):
        digest.update(each.name.encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
