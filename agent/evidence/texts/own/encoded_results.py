"""Recognises results that may be nothing but a script's own text, decoded.

A script could send `ZmVlIGlzIDc=` to a server that decodes base64, and cite its result,
`fee is 7`. There are too many encodings to try them all, so lengths are compared. A result is the
server's own text only if it is longer than anything that the script can have sent encoded:

| a call sends | sent so far | its result | may be the sent text |
|---|---|---|---|
| `ZmVlI` | 5 | `ok` (2) | yes |
| `GlzIDc=` | 11 | `fee 7 eur` (7) | yes: the server may have stored both parts |
| `Ym9va3M=` | 18 | a page of 400 | no, and the next call is counted from 0 on |

Without this new start, a script that searches often would at last have sent more than any page is
long, and could no longer cite any.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.evidence.texts.own.known_words import KnownWords
from controlplane.agent.evidence.texts.own.new_text import NewText

_MOST_DECODED_PER_SENT: Final = 1.5
"""How many characters of the decoded text one sent character may stand for. In base64, it is 0.75:
four sent characters for three. The limit has room for encodings that shorten a text."""


class EncodedResults:
    """Compares the results of each server with the text that one trial's scripts have sent to it."""

    def __init__(self, known_words: KnownWords) -> None:
        self._known_words = known_words
        """The words that scripts were given. They hide nothing, so they do not count."""
        self._sent_chars: dict[str, int] = {}
        """By server, how many characters of new text scripts have sent to it, since its last
        result that was too long to be this text."""

    def add_call(self, server: str, arguments: Iterable[str], result: str) -> bool:
        """Count what a call has sent. Return True if its result may be sent text, decoded."""
        new_text = NewText.of(arguments, result, self._known_words)
        sent_chars = self._sent_chars.get(server, 0) + new_text.sent_chars
        most_decoded_chars = _MOST_DECODED_PER_SENT * sent_chars
        if new_text.returned_chars > most_decoded_chars:
            self._sent_chars[server] = 0
            return False
        self._sent_chars[server] = sent_chars
        return True
