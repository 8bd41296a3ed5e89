"""Checks the citations of scripts: which file is meant, and whether a quotation is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from controlplane.agent.evidence.paths import (
    CitedPaths,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import nearest
from controlplane.gates.quoting import quote
from controlplane.gates.submission import fault_of_reason
from controlplane.gates.text_folding import fold_text, is_boilerplate, parts_of
from controlplane.gates.trial import SeenText, TextKind
from controlplane.sandbox.interface import (
    bounds,
)

# A text in the form in which quotations are found in it: folded, and without blanks.
#
# Scripts quote JSON and prose in any spacing. So the quotation `fee:7` is found in `Fee: 7 EUR`:
#
#     text = BareText.of("Late return.\nFee: 7 EUR")
#     text.lines             -> ["latereturn.", "fee:7eur"]
#     text.line_of("fee:7")  -> 2


@dataclass(frozen=True, slots=True)
class _BareText:
    """A text in small letters, and without accents and blanks, in its lines."""

    lines: Sequence[str]

    @classmethod
    def of(cls, text: str) -> _BareText:
        """Return the bare form of a text: `a b: 1 200` -> `ab:1 200`.

        A blank between two digits stays, even between two lines, so that two numbers do not
        become one.
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
        return cls(lines)

    @property
    def joined(self) -> str:
        """All lines as one text, without line breaks."""
        return "".join(self.lines)

    def line_of(self, part: str) -> int | None:
        """Return the line, from 1, on which a bare text begins; None if it does not occur.

        It may run over several lines: in `["ab", "cd"]`, `bc` begins on line 1.
        """
        chars_before = self.joined.find(part)
        if chars_before < 0:
            return None
        number = 1
        for line in self.lines:
            chars_before -= len(line)
            if chars_before < 0:
                break  # The part begins on this line.
            number += 1
        return number


# Finds the file that a script cites, by a path in any spelling.
#
# An answer may only cite what was read, and by the path that listings show. After
# `read("/DOCS/fees.md")` has reached the listed file `/docs/fees.md`:
#
#     spelling_of("/DOCS/fees.md")         -> /docs/fees.md
#     spelling_of("/docs")                 -> ValueError: it is a folder
#     spelling_of("/docs/fee.md")          -> ValueError: it was not read (nearest: `/docs/fees.md`)
#     spelling_of("docs/fees.md#row=7")    -> /docs/fees.md#row=7

_MOST_COMPARED_PATHS: Final = 100
"""How many read paths are compared with a mistyped path, to suggest the nearest one."""


def _message_of_unread(path: str, evidence: Evidence) -> str:
    """Return the message that a cited path was not read. It names the most similar one that was."""
    near = nearest(path, islice(evidence.accesses, _MOST_COMPARED_PATHS))
    hint = f" (nearest that was read: {quote(near)})" if near else ""
    return f"{quote(path)} was not read in this trial{hint}: read it before citing it."


# A quotation of a cited file, in the form in which it is looked for in texts.
#
# A script cites `/docs/fees.md` with a quotation of some words of it. In the search, case, accents and
# blanks do not matter:
#
#     bare_quotation("Fee: 7 EUR")   -> fee:7eur, which occurs in the text `FEE:  7 eur per month`
#     bare_quotation("7")            -> ValueError: it is in almost any text

_MIN_QUOTATION_CHARS: Final = 3
"""The shortest quotation, in characters that are not blanks. Shorter ones occur in any text."""


def _bare_quotation(text: str) -> str:
    """Return a quotation as `_BareText` has it. Raises `ValueError` if it is too short or too long."""
    bare_text = _BareText.of(text).joined
    is_too_long = len(text) > bounds.MOST_QUOTATION_CHARS
    if is_too_long or len(bare_text) < _MIN_QUOTATION_CHARS:
        size = f"{_MIN_QUOTATION_CHARS} to {bounds.MOST_QUOTATION_CHARS} characters"
        msg = f"a quotation has {size}: {quote(text)}"
        raise ValueError(msg)
    return bare_text


# Whether a result may have a quotation only because it echoes what the script has passed.
#
# A script could search for `fee: 7`, and quote the result `nothing has fee: 7`. So a quotation counts
# only if enough of it is new. For a call that has passed the words `late fee`:
#
# | quotation | may be an echo | because |
# |---|---|---|
# | `Late fee` | yes | the script has passed all of it |
# | `7 EUR` | no | no word of it was passed |
# | `fee: 7` | yes | besides `fee`, only the `7` is new, and this is too short |
# | `fee: 7 EUR per month` | no | enough of it is new |

_MIN_NEW_CHARS: Final = 6
"""How many letters and digits of a quotation must be new if some of its words are not."""


def _may_be_echo(quotation: str, passed_text: str) -> bool:
    """Return True if a result may have a quotation only because its call has passed a text."""
    passed_all = _BareText.of(quotation).joined in _BareText.of(passed_text).joined
    if passed_all:
        return True

    passed_words = set(parts_of(fold_text(passed_text)))
    # Everyday words, such as `the`, tell nothing.
    words = {
        word for word in parts_of(fold_text(quotation)) if not is_boilerplate(word)
    }
    if words.isdisjoint(passed_words):
        return False
    new_chars = sum(len(word) for word in words - passed_words)
    return new_chars < _MIN_NEW_CHARS


# What a script is told whose quotation is only in texts that do not count: their words may be its own.
#
# A quotation proves that the environment's texts have its words. A script could fake this in two
# ways, for example for `fee: 7`:
#
#     it writes `fee: 7` to a file, and reads the file
#     it searches for `fee: 7`, and the search answers `no page has fee: 7`

_BY_SCRIPT: Final = "{quotation} was written or computed by a script, and not read: cite without a quotation."
"""A script wrote the text, or a tool computed it from what the script passed."""
# Words that some result had before the script passed them are not the script's own. So another
# call, which passes only such words, may help.
_ECHO: Final = (
    "{quotation} may come from the call's own arguments: ask with words that were read before (of "
    "tables, list them first), quote a longer passage, or cite without a quotation."
)
"""The text may only echo words that the script passed to the call."""
_NOT_THERE: Final = (
    "{quotation} is not in what was read of {path}: quote it as it is written there (blanks and "
    "case aside), or cite without a quotation."
)


# Checks the citations of a trial's scripts.
#
# A script cites a file that a call has read, with a reason, or with a quotation from the text that
# the call returned. After `read("/docs/fees.md")` has returned three lines, of which the last is
# `Fee: 7 EUR`:
#
#     check("/docs/fees.md", "has the fee")                  -> CitedPlace("/docs/fees.md", line=0)
#     check("/DOCS/fees.md", "has the fee", "fee: 7 eur")    -> CitedPlace("/docs/fees.md", line=3)
#     check("/docs/loans.md", "has the fee")                 -> ValueError: it was not read


_UNKNOWN_LINE: Final = 0
"""The line of a citation without a quotation, or if it is unknown."""


class CitedPlace(NamedTuple):
    """What an answer cites: a file, and a line of it."""

    spelling: str
    """The path as listings show it, `/docs/fees.md`; also with a fragment, `/docs/fees.md#row=7`, if
    the script has cited one."""
    line: int
    """The line on which the quotation begins, from 1; 0 without one, or if it is not known."""


class Citations:
    """Checks the citations of one trial."""

    def __init__(self, view: Callable[[], Evidence], cited_paths: CitedPaths) -> None:
        self._view = view
        """Returns what the trial has read so far."""
        self._cited_paths = cited_paths
        """The path by which to cite each file that a call has reached."""
        self._room_chars = bounds.MOST_QUOTED_CHARS
        """How many more characters of texts may be searched for quotations."""

    def check(self, path: str, reason: str, quotation: str = "") -> CitedPlace:
        """Return the place that a script cites, by a path and a reason or a quotation.

        Raises `ValueError`, with a message for the script, if the file was not read, it does
        not have the quotation, or there is no quotation and the reason is too short.
        """
        if not quotation:
            fault = fault_of_reason(path, reason)
            if fault:
                raise ValueError(fault)
            return CitedPlace(self._spelling_of(path), _UNKNOWN_LINE)
        # With a quotation, the reason may be short.
        spelling = self._spelling_of(path)
        access = self._view().find(spelling).access
        seen_texts = () if access is None else access.seen
        return CitedPlace(spelling, self._line_of(quotation, spelling, seen_texts))

    def _spelling_of(self, path: str) -> str:
        """Return a cited path as listings spell it, with its fragment, such as `#row=7`.

        Raises `ValueError`, with a message for the script, if the path is a folder, or was
        not read.
        """
        path = path.strip()
        # Most citations name a file by the path of a call, which is found at once. Only for the
        # others, such as `/docs/fees.md#row=7`, the evidence is needed. It takes long, because it
        # has to be collected anew after each call.
        spelling = self._cited_paths.path_if_reached(path)
        if spelling is not None:
            return spelling
        evidence = self._view()
        reference = evidence.find(path)
        if reference.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if reference.access is None:
            raise ValueError(_message_of_unread(path, evidence))
        return reference.citation

    def _line_of(self, text: str, path: str, seen_texts: Iterable[SeenText]) -> int:
        """Return the line on which the quotation `text` begins, from 1.

        `seen_texts` were read at `path`. In an excerpt, which may begin on any line of its file,
        the line is `_UNKNOWN_LINE`. Raises `ValueError`, with a message for the script, if
        - the quotation is too short or too long,
        - no text has it, or only texts whose words may be the script's own, or
        - the trial has searched too much text.
        """
        quotation = _bare_quotation(text)
        message = _NOT_THERE
        for seen in seen_texts:
            self._room_chars -= len(seen.text)
            if self._room_chars < 0:
                msg = "too much text was searched for quotations in this trial; cite without a quotation"
                raise ValueError(msg)
            line = _BareText.of(seen.text).line_of(quotation)
            if line is None:
                continue  # The text does not have the quotation.
            if seen.is_proof and not _may_be_echo(text, seen.unproven_words):
                return _UNKNOWN_LINE if seen.kind is TextKind.EXCERPT else line
            if seen.is_proof:
                message = _ECHO
            elif message is not _ECHO:
                message = _BY_SCRIPT
        raise ValueError(message.format(quotation=quote(text), path=quote(path)))
