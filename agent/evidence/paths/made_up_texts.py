"""Tells which texts a script made up: it wrote them before any call returned them.

If a script writes `fee: 7` to `/note.md`, and a program copies the file to `/docs/note.md`,
a read of `/docs/note.md` proves nothing. The text is recognised, whichever path it has:

    add_written("fee: 7")
    "fee: 7" in texts        -> True
    add_returned("late: 21")            a call has read this in a file
    add_written("late: 21")             the script copies the file
    "late: 21" in texts      -> False: the script has not made it up
"""

from __future__ import annotations


class MadeUpTexts:
    """The texts that the scripts of one trial made up, and those that calls returned.

    Texts are recognised by a hash, which takes less memory than the text.
    """

    def __init__(self) -> None:
        self._written: set[int] = set()
        """Hashes of the texts that were written before any call returned them."""
        self._returned: set[int] = set()
        """The hash of each text that a call returned."""

    def add_written(self, text: str) -> None:
        """Add a text that the script wrote.

        If a call returned it before, as for a copied file, the script did not make it up.
        """
        text_hash = _hash_of(text)
        if text.strip() and text_hash not in self._returned:
            self._written.add(text_hash)

    def add_returned(self, text: str) -> None:
        """Add a text that a call returned."""
        self._returned.add(_hash_of(text))

    def __contains__(self, text: str) -> bool:
        """Return True if a script made up the text."""
        return _hash_of(text) in self._written


def _hash_of(text: str) -> int:
    """Return the hash of a text, without the blanks at its ends, to keep less than the text."""
    return hash(text.strip())
