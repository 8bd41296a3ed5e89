"""The prompt texts of a run, with holes such as `{{instruction}}`, which a trial fills."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import re2

from controlplane.agent.model import Frozen

HOLE: Final = re2.compile(r"\{\{(\w+)\}\}")
"""Matches a hole such as `{{instruction}}`. Group 1 is its name."""
DIGEST_CHARS: Final = 16
"""Characters of a digest (a hash), enough to tell the prompts of runs apart."""


class Prompts(Frozen):
    """All prompt texts of a run, and the user's hints."""

    texts: dict[str, str]
    """The text of each prompt, by name."""
    hints: str = ""
    """The user's hints, which are added unchanged at the end of the system prompt."""

    def filled(self, name: str, **values: object) -> str:
        """Return the prompt `name` with its holes filled. A hole without a value stays."""

        def value_of(hole: Any) -> str:
            hole_name = hole[1]
            if hole_name not in values:
                return str(hole[0])
            return str(values[hole_name])

        return str(HOLE.sub(value_of, self.texts[name]))

    def with_hints(self, system: str) -> str:
        """Return a system prompt with the user's hints at its end."""
        if not self.hints:
            return system
        return f"{system}\n{self.hints}"

    @property
    def digest(self) -> str:
        """A hash of all texts, with which a journal identifies the prompts of its run."""
        parts: list[str] = []
        for name in sorted(self.texts):
            parts += [name, self.texts[name]]
        parts.append(self.hints)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:DIGEST_CHARS]
