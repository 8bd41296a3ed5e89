"""The words of a text that say something about its subject, and texts ranked by them.

A word has one form for its upper and lower case, composed and decomposed accents, and letters of full
width. SQLite's full-text index FTS5 ranks texts by the words that they share with a request; there, a
word also matches its English endings (`returned` finds `returns`).
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Final

import re2

from controlplane.sandbox.files.search import with_few_marks
from controlplane.sandbox.interface import bounds

# Texts of languages that write no blanks between words: Chinese, Japanese, Thai and others.
#
# A word index would take a whole sentence as one word. A run of such letters is indexed as
# its overlapping pairs of letters instead: `東京駅` is indexed as the three words `東京`, `京駅`
# and `駅`. A request is split in the same way, except for the last single letter. So `京駅` and
# the single letter `駅` both find that text.

_RUN_WITHOUT_BLANKS: Final = re2.compile(
    r"([\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+)"
)
"""Matches consecutive letters of languages that write no blanks between words."""


def _has_unspaced_letters(text: str) -> bool:
    """Return True if a text has a letter of a language without blanks between words."""
    return _RUN_WITHOUT_BLANKS.search(text) is not None


def _parts_by_script(text: str) -> list[tuple[str, bool]]:
    """Split a text where letters with and without blanks between words meet.

    With each part, says whether its letters are of languages without blanks, such as Japanese:
    `at東京` -> `("at", False), ("東京", True), ("", False)`.
    """
    # A split at a pattern with a group returns what is between the matches, and in turn the matches.
    parts = _RUN_WITHOUT_BLANKS.split(text)
    return [(part, index % 2 == 1) for index, part in enumerate(parts)]


def _without_marks(run: str) -> str:
    """Return a run of letters without their marks: of Thai `กิน`, the `ก` and the `น`.

    SQLite's full-text index (FTS5) would split the word at the vowel sign between them.
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
    pairs = [first + second for first, second in pairwise(letters)]
    return pairs or [letters]


# Words of an index


def _query_words(word: str) -> list[str]:
    """Return the words by which a request for `word` is looked up: `東京駅` -> `東京`, `京駅`."""
    if word.isascii():
        return [word]
    words: list[str] = []
    for part, is_unspaced in _parts_by_script(word):
        words += _letter_pairs(part) if is_unspaced else [part]
    return [word for word in words if word]


def _indexed_text(text: str) -> str:
    """Return a folded text with the words under which it is indexed: `駅東京` -> `駅東 東京 京`.

    Every letter must begin one of the words, so that a request for a single letter
    finds it. So the last letter of a run is a word of its own.
    """
    if text.isascii():
        return text
    parts: list[str] = []
    for part, is_unspaced in _parts_by_script(text):
        if is_unspaced:
            # A vowel sign of Thai, for example, is a mark and not a letter: the index ignores it.
            last_letter = part[-1]
            words = [*_letter_pairs(part), last_letter]
            parts.append(f" {' '.join(words)} ")
        else:
            parts.append(part)
    return "".join(parts)


_WORD: Final = re2.compile(r"[\pL\pN\pM]+(?:[-_][\pL\pN\pM]+)*")
"""Matches a word, number, id or code: `loan`, `ledger-12`, `key_keeper`."""

_MIN_WORD_CHARS: Final = 3
"""Shorter words, such as `to` and `is`, say little about a subject."""

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


def folded(text: str) -> str:
    """Return a text with one form for each letter: `ＣＡＦE\u0301` -> `café`."""
    if text.isascii():
        return text.lower()
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", with_few_marks(text))
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
    for part, is_unspaced in _parts_by_script(text):
        parts.append(_without_marks(part) if is_unspaced else part)
    return "".join(parts)


def words_of(text: str) -> list[str]:
    """Return the folded words of a text that say something about its subject, each once.

    `Which loans are overdue?` -> `["loans", "overdue"]`. If all its words are common,
    returns them all.
    """
    words: list[str] = []
    for word in _WORD.findall(folded(text[: bounds.MOST_COMPARED_CHARS])):
        words.extend(_query_words(word))

    telling_words = [word for word in words if _is_telling(word)]
    each_once = dict.fromkeys(telling_words or words)
    return list(each_once)


def _is_telling(word: str) -> bool:
    """Return True if a folded word may say something about a subject: `loans`, `b7`, not `which`.

    Common words and very short ones do not.
    """
    if word in COMMON_WORDS:
        return False
    if len(word) >= _MIN_WORD_CHARS:
        return True
    # Short ids such as `b7` say something, and so do short words in languages without blanks.
    return not word.isalpha() or _has_unspaced_letters(word)


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


# Ranks texts by the words that they share with a request, by a full-text index.

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


def ranked_texts(
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
    with _TABLE_LOCK:
        table = _open_table()
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
    return {names[row_number]: score for row_number, score in ranked_rows}


_TABLE_LOCK: Final = Lock()
"""Held during a ranking, since the trials of a process share one table."""


@cache
def _open_table() -> sqlite3.Connection:
    """Return the database in memory with the table, which is empty between two rankings.

    To make it takes as long as several rankings.
    """
    table = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    table.execute(_TABLE_DEFINITION)
    return table


def _indexed_words(text: str) -> str:
    """Return a text as it is indexed: folded, and Chinese, for example, in pairs of letters."""
    return _indexed_text(folded(text))


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
    each_once = list(dict.fromkeys(words))
    terms: list[str] = []
    for word in each_once[:_MAX_QUERY_WORDS]:
        if '"' in word:
            continue  # A quotation mark would end the quoted word.
        # SQLite would end the query at a NUL.
        word_without_nul = word.replace("\0", " ")
        term = f'"{word_without_nul}"'

        # Languages without blanks are indexed by pairs of letters. With an asterisk, a
        # single letter matches all pairs that begin with it.
        if len(word) == 1 and _has_unspaced_letters(word):
            term += " *"
        terms.append(term)
    return " OR ".join(terms)
