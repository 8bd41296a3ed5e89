"""Ranks texts by the words that they share with a request, by SQLite's full-text index FTS5.

A word also matches its other forms: upper and lower case, composed and decomposed
accents, letters of full width, and English endings (`returned` finds `returns`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.files.text_words import (
    folded,
    has_unspaced_letters,
    indexed_text,
)
from controlplane.sandbox.interface import bounds

_MAX_QUERY_WORDS: Final = 200
"""Queries of more words take longer and rank no better."""

_TITLE_WEIGHT: Final = 6.0
"""A word in a title counts as much as six times the same word in the text."""

_MAX_EMPTY_TEXTS: Final = 400
"""Empty texts that are counted to find out how rare a word is. More of them hardly change that."""


@dataclass(frozen=True, slots=True)
class TitledText:
    """A text to be ranked, with a title whose words count more."""

    title: str
    text: str


class WordRanking:
    """Ranks texts by the words that they share with a request, in a table in memory.

    The table is a full-text index of SQLite (FTS5). It is created when it is first needed,
    and empty between two rankings. Call `close` after use.
    """

    def __init__(self) -> None:
        self._table: sqlite3.Connection | None = None
        """The database with the table; None before the first ranking and after `close`."""

    def close(self) -> None:
        """Free the memory of the table."""
        if self._table is not None:
            self._table.close()
            self._table = None

    def scores(
        self,
        texts: Mapping[str, TitledText],
        words: Iterable[str],
        *,
        empty_texts: int = 0,
        title_weight: float = _TITLE_WEIGHT,
    ) -> dict[str, float]:
        """Return the scores of the texts that contain one of the words, by name, the best first.

        For the words `loan` and `fee`: `{"/loans.md": 3.2, "/fees.md": 1.4}`. A rare word
        counts more than a frequent one. `texts` may be those of a collection that have one of the
        words. Then that many `empty_texts` are counted, too, to stand for the others.
        """
        query = _query(words)
        if not query or not texts:
            return {}

        # 1. Make a row for each text. FTS5 counts the empty ones when it computes how rare a
        #    word is.
        rows: list[tuple[int, str, str]] = []
        for titled in texts.values():
            text = titled.text[: bounds.MOST_COMPARED_CHARS]
            rows.append((len(rows), _indexed_words(titled.title), _indexed_words(text)))
        for _ in range(min(empty_texts, _MAX_EMPTY_TEXTS)):
            rows.append((len(rows), "", ""))

        # 2. Insert the rows and rank them. All of this is one transaction, which is then undone, so
        #    that the table is empty again. That is faster than to delete the rows.
        table = self._open_table()
        table.execute("begin")
        try:
            table.executemany(
                "insert into texts (rowid, title, text) values (?, ?, ?)", rows
            )
            parameters = {"title_weight": title_weight, "query": query}
            ranked_rows = table.execute(_RANKING_QUERY, parameters).fetchall()
        finally:
            table.execute("rollback")

        # 3. Row numbers are positions in `texts`.
        names = list(texts)
        scores: dict[str, float] = {}
        for row_number, score in ranked_rows:
            scores[names[row_number]] = score
        return scores

    def _open_table(self) -> sqlite3.Connection:
        """Return the database with the table, which is made if there is none."""
        if self._table is None:
            self._table = sqlite3.connect(":memory:", isolation_level=None)
            self._table.execute(_TABLE_DEFINITION)
        return self._table


def _indexed_words(text: str) -> str:
    """Return a text as it is indexed: folded, and Chinese, for example, in pairs of letters."""
    return indexed_text(folded(text))


_TABLE_DEFINITION: Final = """
    create virtual table texts using fts5(
        title, text, content='', tokenize='porter unicode61 remove_diacritics 2'
    )
"""
"""`porter` cuts English endings; with `content=''` the table keeps the index, not the texts."""

_RANKING_QUERY: Final = """
    select rowid, -bm25(texts, :title_weight, 1.0) as score
    from texts
    where texts match :query
    order by score desc, rowid
"""
"""`bm25` is the usual measure of relevance. It is lower for better texts,
hence the minus sign. Its arguments after the table are the weights of the two
columns: title and text."""


def _query(words: Iterable[str]) -> str:
    """Return the FTS5 query for texts with one of the words: `"loan" OR "b7"`.

    It is empty without words.
    """
    without_repetition = list(dict.fromkeys(words))
    terms: list[str] = []
    for word in without_repetition[:_MAX_QUERY_WORDS]:
        if '"' in word:
            continue  # A quotation mark would end the quoted word.
        # SQLite would end the query at a NUL.
        word_without_nul = word.replace("\0", " ")
        term = f'"{word_without_nul}"'

        # Languages without blanks are indexed by pairs of letters. With an asterisk, a
        # single letter matches all pairs that begin with it.
        if len(word) == 1 and has_unspaced_letters(word):
            term += " *"
        terms.append(term)
    return " OR ".join(terms)


def ranked_texts(
    texts: Mapping[str, TitledText],
    words: Iterable[str],
    *,
    title_weight: float = _TITLE_WEIGHT,
) -> dict[str, float]:
    """Return the scores of texts, the best first: `WordRanking.scores` without empty texts.

    The table is made for this call alone.
    """
    with closing(WordRanking()) as ranking:
        return ranking.scores(texts, words, title_weight=title_weight)
