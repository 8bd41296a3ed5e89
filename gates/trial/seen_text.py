"""A text that a trial saw at a path, and how far it can support an answer.

The text of the file `/docs/fees.md` proves the fee that it states. A text that the trial's own
script has written proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.gates.text_index import index_of


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
    """Words that the script gave to the call, one in each line: `lent` of `search("lent")`.

    The text does not prove them, because it may only repeat them: `no hit for lent`.
    """
    is_excerpt: bool = False
    """True if the call asked for only a part of the file, such as the lines 40 to 60."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """The line numbers that the lines of the text have in the file.

    Only the first ones are listed. Each further line has the next number.

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
        """Return True if the text has a word, number or id, in any form: `fa-19` in `FA 19`.

        A word that the script passed to the call does not count, because the text may only
        repeat it. After `search("report")`, `report` does not count, but `reports` does.
        """
        if not index_of(self.text).holds(token):
            return False
        if not self.script_words:
            return True
        is_word_of_script = index_of(self.script_words).repeats(token)
        return not is_word_of_script
