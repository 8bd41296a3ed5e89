"""What the calls of a trial did at a path, and the texts that they saw there.

A text of the environment, such as the content of a file, proves a value of the answer. A
text that the trial's own script wrote into the file does not (`SeenText.is_proof`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from controlplane.gates.trial.seen_text import SeenText

Action: TypeAlias = Literal["read", "write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class Access:
    """What the trial's calls did at one path, and the texts that they saw there.

    After `read("/docs/fees.md")`, this path has the action `read` and the text of the file. An
    answer may cite it, and state the values of the text.
    """

    path: str
    actions: frozenset[Action]
    """All that calls did at the path: read, write, delete or execute it."""
    seen: tuple[SeenText, ...] = ()
    """The different texts seen here, in the order in which each was first seen."""

    @property
    def is_found(self) -> bool:
        """True if a call read or executed the file. Writing or deleting it is not enough."""
        return "read" in self.actions or "execute" in self.actions

    @property
    def proofs(self) -> tuple[SeenText, ...]:
        """The texts that prove a value: those of the environment, without words of the script."""
        return tuple(seen for seen in self.seen if seen.is_proof)

    @property
    def given_texts(self) -> tuple[SeenText, ...]:
        """The texts that the environment gave: the proofs, and the output of tools.

        A tool that was called with words of the script may have printed them, so its output is
        no proof. If the script also wrote at this path, it is left out: it cannot be told from
        a text that the script wrote.
        """
        if "write" in self.actions:
            return self.proofs
        return self.seen

    @property
    def had_text_before_writing(self) -> bool:
        """True if the file had a text before the script wrote one: the first seen is proof."""
        return bool(self.seen) and self.seen[0].is_proof

    def holds(self, token: str) -> bool:
        """Return True if a word, number or id occurs in one of `given_texts`.

        That is enough for the reason of a citation, but not for a value of the answer.
        """
        return any(seen.holds(token) for seen in self.given_texts)

    def proves(self, token: str) -> bool:
        """Return True if a word, number or id occurs in one of `proofs`: an answer may state it."""
        return any(seen.is_proof and seen.holds(token) for seen in self.seen)
