"""A text that a trial saw at a path, and how far it can support an answer.

The text of the file `/docs/fees.md` proves the fee that it states. A text that the trial's own
script has written proves nothing:

    read("/docs/fees.md")          -> SeenText("fee: 7")
    write("/note.md", "fee: 8")    -> SeenText("fee: 8", TextKind.OWN)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.gates.text_index import index_of
from controlplane.gates.trial.text_kind import TextKind


@dataclass(frozen=True, slots=True)
class SeenText:
    """One text that the trial saw at a path."""

    text: str
    kind: TextKind = field(default=TextKind.WHOLE, hash=False)  # Its hash is slow.
    """Whether it is all of a file or result, and whether the script wrote it."""
    unproven_words: str = ""
    """Words of the script that the text may only repeat, one in each line. It does not prove them.

    After `search("lent")`, this is `lent`: the result may be `no hit for lent`.
    """
    is_cut: bool = False
    """True if the end of a long text was not kept. A missing word may then be in that end."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """The line numbers that the lines of the text have in the file.

    Only the first ones are listed. Each further line has the next number.

    - `(1,)`: a whole file, with the lines 1, 2, 3 and so on
    - `(40,)`: a part from line 40 on
    - `(1, 7, 9)`: the heading of a table, and the rows in lines 7, 9, 10 and so on
    - `()`: unknown, as for the result of a query
    """

    @property
    def is_proof(self) -> bool:
        """True if the text is the environment's own. Only such a text proves a value."""
        return self.kind is TextKind.WHOLE or self.kind is TextKind.EXCERPT

    @property
    def shows_whole_file(self) -> bool:
        """True if no part of the file is missing, whoever wrote it."""
        return self.kind in (TextKind.WHOLE, TextKind.OWN) and not self.is_cut

    def holds(self, token: str) -> bool:
        """Return True if the text has a word, number or id, in any form: `fa-19` in `FA 19`.

        A word that the script passed to the call does not count, because the text may only
        repeat it. After `search("report")`, `report` does not count, but `reports` does.
        """
        if not index_of(self.text).holds(token):
            return False
        if not self.unproven_words:
            return True
        is_word_of_script = index_of(self.unproven_words).repeats(token)
        return not is_word_of_script
