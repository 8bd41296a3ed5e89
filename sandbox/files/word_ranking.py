"""Ranks texts by the words that they share with a request, by SQLite's full-text index FTS5.

A word also matches its other forms: upper and lower case, composed and decomposed
accents, letters of full width, and English endings (`returned` finds `returns`).

Chinese, Japanese, Thai and some other languages write no blanks between words, so FTS5
would take a whole sentence as one word. A run of such letters is indexed as its
overlapping pairs of letters instead: `東京駅` is indexed as the three words `東京`, `京駅` and
`駅`. A request is split in the same way, except for the last single letter. So `京駅` and
the single letter `駅` both find that text.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.sandbox.interface import bounds

_WORD: Final = re2.compile(r"[\pL\pN\pM]+(?:[-_][\pL\pN\pM]+)*")
"""Matches a word, number, id or code: `loan`, `ledger-12`, `key_keeper`."""

_RUN_WITHOUT_BLANKS: Final = re2.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)
"""Matches consecutive letters of languages that write no blanks between words."""

MIN_WORD_CHARS: Final = 3
"""Shorter words, such as `to` and `is`, say little about a subject."""

MAX_QUERY_WORDS: Final = 200
"""Queries of more words take longer and rank no better."""

TITLE_WEIGHT: Final = 6.0
"""A word in a title counts as much as six times the same word in the text."""

MAX_FURTHER_TEXTS: Final = 400
"""The most further texts that are counted. More of them hardly change how rare a word is."""

_COMMON_WORDS: Final = """
about all also and answer any are because been before being but can could did does doing done each
either exactly find for from get give had has have having her hers him his how into its just let
like may might more most much must nor not now off once one only onto other our out own plain please
put reply same say see shall she should show some such take tell than that the their them then there
these they thing things this those too two until upon very want was way were what when where whether
which while who whom whose why will with would yes yet you your
"""
COMMON_WORDS: Final = frozenset(_COMMON_WORDS.split())
"""English words that say nothing about the subject of a request: `which`, `please`, `answer`."""


# Words of a text


def folded(text: str) -> str:
    """Return a text with one form for each letter: `ＣＡＦE\u0301` -> `café`."""
    if text.isascii():
        return text.lower()
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    # Case folding decomposes some letters again, for example the Turkish capital I with a dot.
    return unicodedata.normalize("NFC", text.casefold())


def comparable_text(text: str) -> str:
    """Return the form of a text in which a word of `words_of` can be found.

    `words_of` folds words and, in languages without blanks, removes marks such as Thai
    vowels. This form has the same changes, so `word in comparable_text(text)` works.
    """
    text = folded(text)
    if text.isascii():
        return text
    parts = []
    for part in _parts_by_script(text):
        if part.is_unspaced:
            parts.append(_without_marks(part.text))
        else:
            parts.append(part.text)
    return "".join(parts)


def words_of(text: str) -> list[str]:
    """Return the folded words of a text that say something about its subject, without repetition.

    `Which loans are overdue?` -> `["loans", "overdue"]`. If all its words are common,
    returns them all.
    """
    words: list[str] = []
    for word in _WORD.findall(folded(text[: bounds.MOST_COMPARED_CHARS])):
        words.extend(_query_words(word))

    telling_words = [word for word in words if is_telling(word)]
    without_repetition = dict.fromkeys(telling_words or words)
    return list(without_repetition)


def is_telling(word: str) -> bool:
    """Return True if a folded word may say something about a subject."""
    if word in COMMON_WORDS:
        return False
    if len(word) >= MIN_WORD_CHARS:
        return True
    # Short ids such as `b7` say something, and so do short words in languages without blanks.
    return not word.isalpha() or _RUN_WITHOUT_BLANKS.search(word) is not None


_ENDING_CHARS: Final = 3
"""The longest English ending: `-s`, `-ed`, `-ing`."""
_MIN_BEGINNING_CHARS: Final = 4
"""A shorter beginning would be shared by too many other words."""


def beginning_of(word: str) -> str:
    """Return a beginning that the other forms of a word share: `returned` -> `retur`.

    An id such as `b7-12` has no other forms, so it is returned as it is.
    """
    if not word.isalpha():
        return word
    return word[: max(_MIN_BEGINNING_CHARS, len(word) - _ENDING_CHARS)]


# Languages without blanks between words


@dataclass(frozen=True, slots=True)
class ScriptPart:
    """A part of a text whose letters are all of languages without blanks, or all of others."""

    text: str
    is_unspaced: bool
    """True if the letters are of languages without blanks between words, such as Japanese."""


def _parts_by_script(text: str) -> list[ScriptPart]:
    """Split a text where letters with and without blanks between words meet.

    `at東京` -> `at`, `東京`.
    """
    parts = []
    end_of_last_run = 0
    for run in _RUN_WITHOUT_BLANKS.finditer(text):
        parts.append(ScriptPart(text[end_of_last_run : run.start()], is_unspaced=False))
        parts.append(ScriptPart(run[0], is_unspaced=True))
        end_of_last_run = run.end()
    parts.append(ScriptPart(text[end_of_last_run:], is_unspaced=False))
    return parts


def _without_marks(run: str) -> str:
    """Return a run of letters without their marks, such as Thai vowels.

    FTS5 splits words at marks.
    """
    letters = []
    for character in run:
        is_mark = unicodedata.category(character).startswith("M")
        if not is_mark:
            letters.append(character)
    return "".join(letters)


def _letter_pairs(run: str) -> list[str]:
    """Return the overlapping pairs of letters: `東京駅` -> `東京`, `京駅`. A single letter stays alone."""
    letters = _without_marks(run)
    if len(letters) < 2:
        return [letters]
    pairs = []
    for index in range(len(letters) - 1):
        pairs.append(letters[index : index + 2])
    return pairs


def _query_words(word: str) -> list[str]:
    """Return the words by which a request for `word` is looked up: `東京駅` -> `東京`, `京駅`."""
    if word.isascii():
        return [word]
    words: list[str] = []
    for part in _parts_by_script(word):
        if part.is_unspaced:
            words.extend(_letter_pairs(part.text))
        else:
            words.append(part.text)
    return [word for word in words if word]


def _indexed_text(text: str) -> str:
    """Return a text with the words under which it is indexed: `駅東京` -> `駅東 東京 京`.

    Every letter must begin one of the words, so that a request for a single letter
    finds it. So the last letter of a run is a word of its own.
    """
    text = folded(text)
    if text.isascii():
        return text
    parts: list[str] = []
    for part in _parts_by_script(text):
        if part.is_unspaced:
            last_letter = part.text[-1]  # If it is a mark, the index ignores it.
            words = [*_letter_pairs(part.text), last_letter]
            parts.append(f" {' '.join(words)} ")
        else:
            parts.append(part.text)
    return "".join(parts)


# The table of texts


@dataclass(frozen=True, slots=True)
class TitledText:
    """A text to be ranked, with a title whose words count more."""

    title: str
    text: str


class WordRanking:
    """A table in memory that ranks texts.

    The table is created when it is first needed. Call `close` after use.
    """

    def __init__(self) -> None:
        self._table: sqlite3.Connection | None = None

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
        further_texts: int = 0,
        title_weight: float = TITLE_WEIGHT,
    ) -> dict[str, float]:
        """Return the scores of the texts that contain one of the words, by name, the best first.

        A rare word counts more than a frequent one. If `texts` are only
        a part of a collection, `further_texts` is the number of the others,
        which contain none of the words.
        """
        query = _query(words)
        if not query or not texts:
            return {}

        # 1. Make a row for each text. Further texts are empty rows: FTS5 counts them when it
        #    computes how rare a word is.
        rows: list[tuple[int, str, str]] = []
        for titled in texts.values():
            text = titled.text[: bounds.MOST_COMPARED_CHARS]
            rows.append((len(rows), _indexed_text(titled.title), _indexed_text(text)))
        for _ in range(min(further_texts, MAX_FURTHER_TEXTS)):
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
        """Return the table after making it if there is none."""
        if self._table is None:
            self._table = sqlite3.connect(":memory:", isolation_level=None)
            self._table.execute(_TABLE_DEFINITION)
        return self._table


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
    for word in without_repetition[:MAX_QUERY_WORDS]:
        if '"' in word:
            continue  # A quotation mark would end the quoted word.
        # SQLite would end the query at a NUL.
        word_without_nul = word.replace("\0", " ")
        term = f'"{word_without_nul}"'

        # Languages without blanks are indexed by pairs of letters. With an asterisk, a
        # single letter matches all pairs that begin with it.
        is_single_letter = (
            len(word) == 1 and _RUN_WITHOUT_BLANKS.search(word) is not None
        )
        if is_single_letter:
            term += " *"
        terms.append(term)
    return " OR ".join(terms)


def ranked_texts(
    texts: Mapping[str, TitledText],
    words: Iterable[str],
    *,
    title_weight: float = TITLE_WEIGHT,
) -> dict[str, float]:
    """Return the scores of `WordRanking.scores` from a table that is made for this call."""
    with closing(WordRanking()) as ranking:
        return ranking.scores(texts, words, title_weight=title_weight)
