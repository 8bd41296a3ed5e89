"""Looks for the quotations of citations in the texts that a trial has read.

A script cites `/docs/fees.md` with the quotation `Fee: 7 EUR`. It must be in the text that a
call has read there, where case, accents and blanks do not matter. It does not count if
the script supplied it: a script can write a file itself, or pass words to a tool that
prints them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import Enum, auto
from typing import Final

from controlplane.agent.evidence.texts.quotation import Quotation, bare_lines
from controlplane.gates.quoting import quote
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds

UNKNOWN_LINE: Final = 0
"""Stands for a line that is not known. The first line of a text has the number 1."""


class _Doubt(Enum):
    """Why a text that has a quotation does not count."""

    BY_SCRIPT = auto()
    """A script wrote the text, or a tool computed it from what the script passed."""
    ECHO = auto()
    """The script passed words of the quotation to the call, which may only repeat them: after
    `search("fee: 7")`, a tool may answer `no page has fee: 7`."""


class QuotationSearch:
    """Looks for the quotations of one trial in the texts that its calls have read.

    The texts of a trial may be long, so there is a limit on what is searched in all.
    """

    def __init__(self) -> None:
        self._room_chars = bounds.MOST_QUOTED_CHARS
        """How many more characters of texts may be searched."""

    def line_of(self, text: str, path: str, seen_texts: Iterable[SeenText]) -> int:
        """Return the line on which the quotation `text` begins, from 1, or `UNKNOWN_LINE`.

        `seen_texts` were read at `path`. A text counts only if the script has not supplied
        it. Raises `ValueError`, with a message for the script, if
        - the quotation is too short or too long,
        - no text that counts has it, or
        - the trial has searched too much text.
        """
        quotation = Quotation.of(text)
        doubts: set[_Doubt] = set()
        for seen in seen_texts:
            self._use_room(seen.text)
            line = _line_in(seen, quotation)
            if line is None:
                continue  # The text does not have the quotation.
            doubt = _doubt_about(quotation, seen)
            if doubt is None:
                return line
            doubts.add(doubt)
        raise ValueError(_message_of_failure(text, path, doubts))

    def _use_room(self, text: str) -> None:
        """Count a text that is searched. Raises `ValueError` if it is too much in this trial."""
        self._room_chars -= len(text)
        if self._room_chars < 0:
            msg = "too much text was searched for quotations in this trial; cite without a quotation"
            raise ValueError(msg)


def _line_in(seen: SeenText, quotation: Quotation) -> int | None:
    """Return the line of a text on which a quotation begins; None if the text does not have it.

    The line is `UNKNOWN_LINE` in an excerpt, which may begin on any line of its file.
    """
    lines = bare_lines(seen.text)  # in small letters, and without blanks
    position = "".join(lines).find(quotation.bare_text)
    if position < 0:
        return None
    if seen.is_excerpt:
        return UNKNOWN_LINE
    return _line_at(position, lines)


def _line_at(position: int, lines: Sequence[str]) -> int:
    """Return the number, from 1, of the line that has a position in the joined lines.

    The lines are joined without line breaks. In `["ab", "cd"]`, joined `abcd`, the position 2
    is in line 2.
    """
    end = 0
    for number, line in enumerate(lines, start=1):
        end += len(line)
        if position < end:
            return number
    return UNKNOWN_LINE  # The position is behind the last line.


def _doubt_about(quotation: Quotation, seen: SeenText) -> _Doubt | None:
    """Return why a text does not count, although it has a quotation; None if it counts."""
    if not seen.is_proof:
        return _Doubt.BY_SCRIPT
    # `script_words` are those that the script passed to the call that returned the text.
    if quotation.may_repeat(seen.script_words):
        return _Doubt.ECHO
    return None


def _message_of_failure(text: str, path: str, doubts: Collection[_Doubt]) -> str:
    """Return the message for a script whose quotation was not found, or only in doubtful texts.

    It says what the script can do. `doubts` are the reasons why texts with the quotation do
    not count; empty if no text has it.
    """
    if _Doubt.ECHO in doubts:
        return (
            f"{quote(text)} may come from the call's own arguments: ask with words that were read before (of "
            "tables, list them first), quote a longer passage, or cite without a quotation."
        )
    if _Doubt.BY_SCRIPT in doubts:
        return f"{quote(text)} was written or computed by a script, and not read: cite without a quotation."
    return (
        f"{quote(text)} is not in what was read of {quote(path)}: quote it as it is written there (blanks "
        "and case aside), or cite without a quotation."
    )
