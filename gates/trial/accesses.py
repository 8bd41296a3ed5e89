"""What the calls of a trial did at a path, and the texts that they saw there.

Each text says how far it can support an answer: the environment's own texts prove a
value, and texts that the trial's script wrote do not.
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
    """The different texts seen here, in the order in which each was first seen.

    One that the script itself wrote is not proof: its `is_proof` is False.
    """

    @property
    def is_found(self) -> bool:
        """True if a call read or executed the file. Writing or deleting it is not enough."""
        return "read" in self.actions or "execute" in self.actions

    @property
    def given_texts(self) -> tuple[SeenText, ...]:
        """The texts that the environment gave: all but those that the script wrote here.

        | text seen at a path                                   | `is_proof` | is given |
        | ----------------------------------------------------- | ---------- | -------- |
        | the content of a file                                 | True       | yes      |
        | what a tool printed that was called with words of it  | False      | yes      |
        | the same, at a path that the script also wrote        | False      | no       |
        | what the script wrote into the file and read again    | False      | no       |
        """
        # The last two cannot be told apart, so at a written path only proof is given.
        if "write" in self.actions:
            return tuple(seen for seen in self.seen if seen.is_proof)
        return self.seen

    @property
    def had_text_before_writing(self) -> bool:
        """True if the file had a text that the script did not write: the first that was seen."""
        return bool(self.seen) and self.seen[0].is_proof

    def holds(self, token: str) -> bool:
        """Return True if a word, number or id occurs in one of `given_texts`.

        That is enough for a reason of a citation, but not for a value of the answer.
        """
        return any(seen.holds(token) for seen in self.given_texts)

    def proves(self, token: str) -> bool:
        """Return True if a token occurs in a text that is proof, so that an answer may state it."""
        return any(seen.is_proof and seen.holds(token) for seen in self.seen)
