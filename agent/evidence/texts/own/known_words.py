"""The words that a script may send to a server without hiding a text of its own in them.

A script could make up a text, and send it in encoded form: `ZmVlIGlzIDc=`. But words that the
script has got from the task, from the tools' declarations or from an earlier result are not such a
code, and neither are those of query languages. `NewText` counts only the other words:

    add_text("Which loans are late?")   this is the task
    has("loans"), has("select")   -> True
    has("zmvliglzidc")            -> False: nobody has given this word to the script
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


class KnownWords:
    """The words, in small letters, that the scripts of one trial were given."""

    def __init__(self, tool_schema: ToolSchema, result_words: ResultWords) -> None:
        self._result_words = result_words
        """Has the words that calls have returned so far."""
        self._given_words = set(_QUERY_WORDS.split())
        """All words but those of results."""
        for declaration in _declarations_of_tools(tool_schema):
            self.add_text(declaration)

    def add_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task."""
        self._given_words.update(parts_of(fold_text(text)))

    def has(self, word: str) -> bool:
        """Return True if scripts were given a word."""
        return word in self._given_words or word in self._result_words.so_far()

    def has_singular_of(self, word: str) -> bool:
        """Return True if a word looks like the plural of a known word: `loans` of `loan`."""
        return len(word) >= _MIN_PLURAL_CHARS and self.has(word[:-1])


def _declarations_of_tools(tool_schema: ToolSchema) -> list[str]:
    """Return the words that declare each tool: `wiki.search Search all pages query limit`.

    These are its name, summary and parameters. Operations on files are left out.
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        if operation.effect in (Effect.RETURNS, Effect.ACTS):
            names = [parameter.name for parameter in operation.parameters]
            texts.append(" ".join([operation.name, operation.summary, *names]))
    return texts
