"""The words that the scripts of a trial were given, such as those of the task.

A script could make up `fee is 7`, send it encoded, as `ZmVlIGlzIDc=`, to a server that decodes it,
and cite the result as found. A word that the script was given is not made up. So only the words
that nothing has given are counted as text that may be encoded (`NewText`):

| word | is given by |
|---|---|
| `select` | query languages |
| `wiki`, `search`, `pages` | the declaration of a tool |
| `loans` | the task, which is added by `add_text` |
| `fee` | an earlier result |
| `zmvliglzidc` | nothing: it may be an encoded text |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.own.result_words import ResultWords
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.sandbox.interface import Effect, ToolSchema

_QUERY_WORDS: Final = (
    "select from where and or not in is null like between order group by having limit offset join "
    "left inner on as distinct count sum avg min max case when then else end asc desc union all "
    "cast true false with id"
)
"""Words of query languages, and the usual name of a key. Scripts need them to query a database."""
_MIN_PLURAL_CHARS: Final = 5
"""The shortest plural, in characters: `loans`. In shorter words,
such as `his`, an `s` at the end seldom makes a plural."""


class GivenWords:
    """The words, in small letters, that the scripts of one trial were given."""

    def __init__(self, tool_schema: ToolSchema, result_words: ResultWords) -> None:
        self._result_words = result_words
        """Has the words that calls have returned so far."""
        self._other_words = set(_QUERY_WORDS.split())
        """The words from everywhere else."""
        for operation in tool_schema.operations:
            # Only calls of a server's tools, which return something (`wiki.search`) or do something
            # (`mail.send`), send texts to a server. The others are about files.
            if operation.effect in (Effect.RETURNS, Effect.ACTS):
                self.add_text(operation.name)
                self.add_text(operation.summary)
                for parameter in operation.parameters:
                    self.add_text(parameter.name)

    def add_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task."""
        self._other_words.update(parts_of(fold_text(text)))

    def has(self, word: str) -> bool:
        """Return True if scripts were given a word."""
        return word in self._other_words or word in self._result_words.so_far()

    def has_word_or_singular(self, word: str) -> bool:
        """Return True if scripts were given a word, or the same one without its last letter.

        Scripts often search for `loans` after they were given `loan`. Any last letter will do, as
        one letter hides next to nothing.
        """
        if self.has(word):
            return True
        return len(word) >= _MIN_PLURAL_CHARS and self.has(word[:-1])
