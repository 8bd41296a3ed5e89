"""Ranks texts for a request by SQLite's FTS5, and reads which words the rules have for the paths that they lead to."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from typing import Final

import re2

MOST_COMPARED_CHARS: Final = 20_000
"""Max characters of one text that are compared."""
BETWEEN_NAMES: Final = str.maketrans(dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\", " "))
"""The marks between paths and names, as blanks."""
LEAST_ROUTED: Final = 3
"""Min paths of a passage of the rules that leads to documents."""
_BLANKS: Final = str.maketrans(dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\./’‘“”„«»–—…¿¡\n\t", " "))
"""Marks between words, as blanks; a hyphen or underscore joins the parts of an id or code."""
_NO_MARKUP: Final = str.maketrans(dict.fromkeys("`*_"))
_PASSAGE: Final = re2.compile(r"\n\s*\n|\n\s*(?:[-*#]|\d+[.)])\s|\n\*\*")
_COMMON_WORDS: Final = """
about all also and answer any are bit but can code could did different does exactly find for form format from give has
have how into its just less like line look many more most much need next not nothing now number one ones only other our
out own plain please put reply same say see should show some take tell than that the them then there these they thing
things this those two value want was way were what when where which who will with work would yes yet you your
"""
COMMON: Final = frozenset(_COMMON_WORDS.split())
"""English words that ask for an answer or its form and say nothing about the subject of a request."""


def scores_of(texts: Mapping[str, tuple[str, str]], words: Iterable[str], beside: int = 0) -> dict[str, float]:
    """Return the score of each name whose title or text holds one of the words, best first.

    Words count in any form (`loan`, `loans`), by how rare they are among the texts and as many others as are `beside`.
    """
    query = " OR ".join(f'"{word}"' for word in list(dict.fromkeys(words))[:200])
    query = query.replace("\0", " ")  # SQLite would end the query there.
    if not query:
        return {}
    rows = [(title, text[:MOST_COMPARED_CHARS]) for title, text in texts.values()]
    with closing(sqlite3.connect(":memory:")) as table:
        table.execute("create virtual table texts using fts5(title, text, tokenize='porter unicode61')")
        # Further texts hardly change how rare a word is.
        table.executemany("insert into texts values (?, ?)", [*rows, *[("", "")] * min(beside, 400)])
        # A word in a title weighs six times as much as the same word in the text.
        ranked = "select rowid, -bm25(texts, 6.0, 1.0) from texts where texts match ? order by 2 desc, 1"
        names = [*texts]
        return {names[row - 1]: score for row, score in table.execute(ranked, (query,))}


def words_of(text: str) -> list[str]:
    """Return the words of a text that say something about its subject, each once."""
    words = (word.strip("-_") for word in text[:MOST_COMPARED_CHARS].casefold().translate(_BLANKS).split())
    return [word for word in dict.fromkeys(words) if len(word) > 2 and word not in COMMON]


def paths_in(text: str) -> list[str]:
    """Return the absolute paths that a text names, in their order."""
    return [
        path.rstrip("./-") for path in text.translate(BETWEEN_NAMES).split() if path[:1] == "/" and path[1:2].isalnum()
    ]


def beginning_of(word: str) -> str:
    """Return the beginning of a word, with which its other forms begin: `retur` for `returned`."""
    return word[: max(4, len(word) - 3)]


def subjects_of(rules: str) -> dict[str, str]:
    """Return the words that the rules have for each path in a passage that leads to several paths, lines joined.

    These are the words of the path's part of the passage: up to a full stop or semicolon, or to a comma if the part
    names several paths. Words that several paths share, such as `records under`, say nothing about any of them.
    """
    said: dict[str, list[str]] = {}
    for passage in _PASSAGE.split(rules):
        if passage.count("/") < LEAST_ROUTED:
            continue
        text = " ".join(passage.translate(_NO_MARKUP).split())
        if len({*paths_in(text)}) < LEAST_ROUTED:
            continue
        for part in text.replace("; ", ". ").split(". "):
            for piece in part.split(", ") if len(paths_in(part)) > 1 else [part]:
                for path in paths_in(piece):
                    said[path] = said.get(path, []) + words_of(piece.replace(path, " "))
    counts = Counter(word for words in said.values() for word in {*words})
    return {path: " ".join(word for word in words if counts[word] < LEAST_ROUTED) for path, words in said.items()}


def lines_pattern(terms: Collection[str], *, begin: bool = False) -> str:
    """Return the pattern of lines that hold one of the terms as a word, in any case, or a word that begins like one.

    A whole word is none that is a key of JSON, which all records of a kind hold, unless its value is true.
    """
    either = "|".join(term.translate(_ESCAPES) for term in terms)
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{either})" + ("" if begin else _WORD_END)


_WORD_END: Final = r'(?:[^0-9A-Za-z"]|"(?:[^:]|$)|":[ \t]*true|$)'
_ESCAPES: Final = str.maketrans({sign: f"\\{sign}" for sign in "\\.+*?()|[]{}^$"})
