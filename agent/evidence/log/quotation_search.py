"""Looks for the quotations of citations in the texts that a trial has read.

A script cites `/docs/fees.md` with the quotation `Fee: 7 EUR`. It must be in the text that a
call has read there, where case, accents and blanks do not matter. It does not count if
the script supplied it: a script can write a file itself, or pass words to a tool that
prints them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.submission import quote
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import bounds

MIN_QUOTATION_CHARS: Final = 3
"""The shortest quotation, in characters that are not blanks. Shorter ones occur in any text."""
UNKNOWN_LINE: Final = 0
"""Stands for a line that is not known. The first line of a text has the number 1."""


class _Doubt(Enum):
    """Why a text that has a quotation does not count."""

    BY_SCRIPT = auto()
    """A script wrote the text, or a tool computed it from what the script passed."""
    ECHO = auto()
    """The script passed words of the quotation to the call, which may only repeat them."""


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
        - no text has it that counts as read, or
        - the trial has searched too much text.
        """
        quotation = _quotation_of(text)
        doubts: set[_Doubt] = set()
        for seen in seen_texts:
            self._room_chars -= len(seen.text)
            if self._room_chars < 0:
                msg = "too much text was searched for quotations in this trial; cite without a quotation"
                raise ValueError(msg)
            bare_lines = _bare_lines(seen.text)  # folded, and without blanks
            position = "".join(bare_lines).find(quotation.bare_text)
            if position < 0:
                continue  # The text does not have the quotation.
            doubt = _doubt_about(quotation, seen)
            if doubt is not None:
                doubts.add(doubt)
                continue
            if seen.is_excerpt:
                return UNKNOWN_LINE  # It may begin on any line of its file.
            return _line_at(position, bare_lines)
        raise ValueError(_message_of_failure(text, path, doubts))


@dataclass(frozen=True, slots=True)
class _Quotation:
    """A quotation, in the forms in which it is compared with texts."""

    bare_text: str
    """All of it in small letters and without blanks: `Fee: 7 EUR` -> `fee:7eur`. A text that
    has the quotation has this as a part of its own bare text."""
    words: frozenset[str]
    """Its words, without everyday words such as `the`. They tell if it may be an echo."""


def _quotation_of(text: str) -> _Quotation:
    """Return a quotation as it is compared. Raises `ValueError` if it is too short or too long."""
    bare_text = "".join(_bare_lines(text))
    if len(text) > bounds.MOST_QUOTATION_CHARS or len(bare_text) < MIN_QUOTATION_CHARS:
        size = f"{MIN_QUOTATION_CHARS} to {bounds.MOST_QUOTATION_CHARS} characters"
        msg = f"a quotation has {size}: {quote(text)}"
        raise ValueError(msg)
    words = {word for word in parts_of(fold_text(text)) if not is_boilerplate(word)}
    return _Quotation(bare_text, frozenset(words))


def _doubt_about(quotation: _Quotation, seen: SeenText) -> _Doubt | None:
    """Return why a text that has a quotation does not count; None if it counts."""
    if not seen.is_proof:
        return _Doubt.BY_SCRIPT
    if _may_be_echo(quotation, seen.script_words):
        return _Doubt.ECHO
    return None


MIN_NEW_CHARS: Final = 6
"""How many letters and digits of a quotation must be new: not in the arguments of its
call. After a search for `fee`, the quotation `fee: 7` has only one new character."""


def _may_be_echo(quotation: _Quotation, script_text: str) -> bool:
    """Return True if a result may have a quotation only because it repeats words of the script.

    `script_text` has these words: the arguments of the call, and those of earlier calls
    that may have stored them. After `search("fee")`, the quotation `fee: 7` may be an echo.
    `fee: 7 EUR per month` is not, as most of it is new.
    """
    if not script_text:
        return False

    # 1. The script's words have the whole quotation.
    if quotation.bare_text in "".join(_bare_lines(script_text)):
        return True

    # 2. They have some words of it, and the others are short.
    script_words = set(parts_of(fold_text(script_text)))
    new_words = quotation.words - script_words
    has_script_word = len(new_words) < len(quotation.words)
    new_chars = sum(len(word) for word in new_words)
    return has_script_word and new_chars < MIN_NEW_CHARS


def _line_at(position: int, bare_lines: Sequence[str]) -> int:
    """Return the number, from 1, of the line that has a position in the joined lines.

    In `["ab", "cd"]`, joined `abcd`, the position 2 is in line 2.
    """
    line = 1
    end = 0
    for bare_line in bare_lines:
        end += len(bare_line)
        if end <= position:
            line += 1
    return line


def _bare_lines(text: str) -> list[str]:
    """Return the lines of a text, folded and without blanks: `"a b: 1 200" -> "ab:1 200"`.

    Scripts quote JSON and prose in any spacing, so blanks are removed. A blank between
    two digits stays, even between two lines, so that two numbers do not become one.
    """
    lines: list[str] = []
    word_before = ""  # It may be the last word of the line before.
    for line in text.split("\n"):
        bare_line = ""
        for word in fold_text(line).split():
            is_between_digits = word_before[-1:].isdigit() and word[0].isdigit()
            if is_between_digits:
                bare_line += " "
            bare_line += word
            word_before = word
        lines.append(bare_line)
    return lines


def _message_of_failure(text: str, path: str, doubts: Collection[_Doubt]) -> str:
    """Return the message about a quotation that was not found in a text that counts.

    It says what to do. `doubts` are those about the texts that have the quotation.
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
