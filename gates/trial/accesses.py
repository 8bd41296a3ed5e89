"""What the calls of a trial did at a path, and the texts that they saw there.

Each text says how far it can support an answer: the environment's own texts prove a
value, and texts that the trial's script wrote do not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from controlplane.gates.text_index import index_of

Action: TypeAlias = Literal["read", "write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class SeenText:
    """One text that the trial saw at a path, and how far it can support an answer."""

    text: str
    is_whole: bool = True
    """False if the record of a long text lacks its end. A missing word may then be in that end."""
    is_proof: bool = True
    """True if the text is the environment's own. Only such a text proves a value.

    False if the trial's script wrote the text, or gave text to the tool that printed it.
    """
    script_words: str = ""
    """Words that scripts gave to calls, such as `lent` in `search("lent")`, one in each line.

    The text may only repeat them, so it does not prove them.
    """
    is_excerpt: bool = False
    """True if the call asked for only a part of the file, such as the lines 40 to 60."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """Which lines of the file the text shows. Only the first line numbers are listed.

    Each further line has the next number.

    - `(1,)`: a whole file, with the lines 1, 2, 3 and so on
    - `(40,)`: a part from line 40 on
    - `(1, 7, 9)`: the heading of a table, and the rows in lines 7, 9, 10 and so on
    - `()`: unknown, as for the result of a query
    """

    @property
    def shows_whole_file(self) -> bool:
        """True if the text is the whole file, neither cut off nor read in part."""
        return self.is_whole and not self.is_excerpt

    def holds(self, token: str) -> bool:
        """Return True if the text has a token, in any form: `fa-19` in `FA 19`.

        A token that the script passed to the call does not count, because the text may
        only repeat it: not `report` after a search for `report`, but `reports`.
        """
        if not index_of(self.text).holds(token):
            return False
        is_repeated = self.script_words != "" and index_of(self.script_words).repeats(
            token
        )
        return not is_repeated


@dataclass(frozen=True, slots=True)
class Access:
    """What the trial's calls did at one path, and the texts that they saw there."""

    path: str
    actions: frozenset[Action]
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

        If the script wrote the file, a text without proof may be its own. Otherwise such a
        text is what a tool printed when the script passed it some words: the words are no
        proof, but the tool may have added others.
        """
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
