"""Which words of a server's result may be the script's own, and so prove nothing.

A script could send `fee is 7` to a server, and cite the reply that repeats it. It could also send it
encoded, as `ZmVlIGlzIDc=`, to a server that decodes base64. There are too many encodings to try them
all, so lengths are compared. A short result may be what the script has sent, decoded. A result that
is longer than this can be is the server's own text:

    wiki.add("ZmVlI")      -> "ok"             all words are unproven
    wiki.add("GlzIDc=")    -> "fee is 7"       all, since the script has sent more than this in all
    wiki.search("late")    -> a long page      only `late` is

After such a long result, the sent characters are counted from 0 again. Otherwise, a script that
searches often would at last have sent more than any page is long, and could cite none.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.agent.evidence.texts.own.given_words import GivenWords
from controlplane.agent.evidence.texts.own.new_text import NewText

_MOST_DECODED_PER_SENT: Final = 1.5
"""How many characters of the decoded text one sent character may stand for. In base64, it is 0.75:
four sent characters for three. The limit has room for encodings that shorten a text."""


class UnprovenWords:
    """Finds the unproven words in the results of one trial's calls of servers."""

    def __init__(self, given_words: GivenWords) -> None:
        self._given_words = given_words
        """The words that scripts were given. They hide nothing, so they do not count."""
        self._sent_chars: dict[str, int] = {}
        """By server, how many characters of new text scripts have sent to it, since its last
        result that was too long to be this text."""

    def of_next_call(self, arguments: CallArguments, result: str) -> str:
        """Return a text with the unproven words in the result of the trial's next call."""
        server = arguments.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        new_text = NewText.of(arguments.input_texts, result, self._given_words)
        sent_chars = self._sent_chars.get(server, 0) + new_text.sent_chars
        may_be_sent_text = (
            new_text.returned_chars <= _MOST_DECODED_PER_SENT * sent_chars
        )
        if may_be_sent_text:
            self._sent_chars[server] = sent_chars
            return result
        self._sent_chars[server] = 0
        return echoable_words(arguments)  # the words of the arguments
