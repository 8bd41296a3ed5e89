"""Looks for the quotations of citations in the texts that a trial has read.

A script cites `/docs/fees.md` with a quotation, which must be in the text that a call has read
there. The quotation does not count if the script supplied it: a script can write a file itself, or
pass words to a tool that prints them.

    line_of("Fee: 7 EUR", "/docs/fees.md", seen_texts)   -> 3, the line where it begins
    line_of("Fee: 8 EUR", "/docs/fees.md", seen_texts)   -> ValueError: it is not in what was read
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.evidence.log.citing.bare_text import BareText
from controlplane.agent.evidence.log.citing.quotation import bare_quotation
from controlplane.agent.evidence.log.citing.quotation_doubt import (
    Doubt,
    doubt_about,
)
from controlplane.agent.evidence.log.citing.quotation_failure import message_of_failure
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind
from controlplane.sandbox.interface import bounds

UNKNOWN_LINE: Final = 0
"""Stands for a line that is not known. The first line of a text has the number 1."""


class QuotationSearch:
    """Looks for the quotations of one trial in the texts that its calls have read.

    The texts of a trial may be long, so there is a limit on what is searched in all.
    """

    def __init__(self) -> None:
        self._room_chars = bounds.MOST_QUOTED_CHARS
        """How many more characters of texts may be searched."""

    def line_of(self, text: str, path: str, seen_texts: Iterable[SeenText]) -> int:
        """Return the line on which the quotation `text` begins, from 1.

        `seen_texts` were read at `path`. In an excerpt, which may begin on any line of its file,
        the line is `UNKNOWN_LINE`. Raises `ValueError`, with a message for the script, if
        - the quotation is too short or too long,
        - no text has it, or only texts whose words may be the script's own, or
        - the trial has searched too much text.
        """
        quotation = bare_quotation(text)
        doubts: set[Doubt] = set()
        for seen in seen_texts:
            self._use_room(seen.text)
            line = BareText.of(seen.text).line_of(quotation)
            if line is None:
                continue  # The text does not have the quotation.
            doubt = doubt_about(text, seen)
            if doubt is None:
                return UNKNOWN_LINE if seen.kind is TextKind.EXCERPT else line
            doubts.add(doubt)
        raise ValueError(message_of_failure(text, path, doubts))

    def _use_room(self, text: str) -> None:
        """Count a text that is searched. Raises `ValueError` if it is too much in this trial."""
        self._room_chars -= len(text)
        if self._room_chars < 0:
            msg = "too much text was searched for quotations in this trial; cite without a quotation"
            raise ValueError(msg)
