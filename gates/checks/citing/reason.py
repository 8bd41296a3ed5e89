"""The reason that a script gives for a citation: "order 17 is paid".

The values and words of a reason are looked up in the cited file. Some reasons cannot be looked
up: a denial ("no order 17") names what is not in the file, and "marked as paid" names what the
script did to it. The words for that are known in English, German and French.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.paths import base_name
from controlplane.gates.text_folding import fold_text, parts_of, tokens_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

NAMING_KINDS: Final = frozenset(Kind) - {Kind.URL}
"""The kinds of values by which a reason may name what a file contains, such as ids and dates.

A web address is not one of them: it names another place.
"""
MOST_WORDS: Final = 100
"""At most this many words of a reason are looked up in the file."""
NEGATIONS: Final = frozenset(
    {"no", "not", "none", "never", "nothing", "without"}
    | {"kein", "keine", "nicht", "aucun"}
)
"""Words that say that something is missing: "no order 17 in the list".

With one of them, the reason may be right although the file does not contain its id.
"""
_CHANGING_WORDS: Final = """
    written write updated changed edited added created saved stored modified appended exported set replaced filled
    renamed moved marked entered new now deleted removed cleared executed execute ran run called applied performed
    geschrieben geandert erganzt angelegt neu jetzt geloscht ausgefuhrt modifie ecrit ajoute nouveau cree supprime
"""
CHANGING_WORDS: Final = frozenset(_CHANGING_WORDS.split())
"""Words that say that a file was written, deleted or run: "marked as returned".

With one of them, the reason need not name what the file contains, if the trial did more with the
file than read it. The words are in lower case and without accents.
"""


@dataclass(frozen=True)
class Reason:
    """The reason that a script gives for citing a file: "order 17 is paid".

    Its values (17) and words (`order`, `paid`) are looked up in the file.
    """

    text: str
    path: str
    """The path of the file. Its words support nothing: one knows them without reading the file."""

    @cached_property
    def tokens(self) -> list[str]:
        """The words, numbers and ids, in lower case and without accents."""
        return list(tokens_of(self.text))

    @cached_property
    def words(self) -> list[str]:
        """The distinctive words, each once: no very common words, single letters or path words.

        For `/docs/returns.md`, "the returns file limits refunds" -> ["limits", "refunds"].
        """
        path_words = {*tokens_of(self.path), *tokens_of(base_name(self.path))}
        words = [
            word
            for word in dict.fromkeys(self.tokens)
            if len(word) > 1 and not is_boilerplate(word) and word not in path_words
        ]
        return words[:MOST_WORDS]

    @cached_property
    def values(self) -> list[WrittenValue]:
        """The ids, numbers, dates and quotations, except those in the path."""
        path_parts = set(parts_of(fold_text(self.path)))
        return [
            value
            for value in written_values(self.text, kinds=NAMING_KINDS)
            if not path_parts.issuperset(parts_of(fold_text(value.text)))
        ]

    @property
    def says_changed(self) -> bool:
        """True if it says that the file was written, deleted or run: "marked as returned"."""
        return not CHANGING_WORDS.isdisjoint(self.tokens)

    @property
    def is_denial(self) -> bool:
        """True if it says that something is missing: "no order 17 in the list"."""
        return not NEGATIONS.isdisjoint(self.tokens)
