"""Scores records by the words of a request, in their paths and in the lines that a search found.

A record is a file about one case, such as `/records/loans/l-12.json`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.retrieval.file_candidate import scaled_to_best
from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.sandbox.files.text_words import beginning_of
from controlplane.sandbox.files.word_ranking import TitledText, WordRanking

MIN_WORD_SCORE: Final = 0.25
"""The word score that a record needs to become a candidate."""


def record_word_scores(
    records: Sequence[str],
    found_lines: Mapping[str, str],
    request: RequestTerms,
    ranking: WordRanking,
) -> dict[str, float]:
    """Return the word scores of the records that fit, the best first: `{"/records/l-12": 1.0}`.

    Named records and those of the user who asks are left out: they are shown anyway.

    Args:
        records: The paths of all records.
        found_lines: The lines that a search found, by the record's path.
        request: The words and ids of the request.
        ranking: Compares words with texts.
    """
    texts = texts_with_words(records, found_lines, request.words)
    # Rare words count more. How rare a word is depends on how many records lack it, but
    # `texts` has only records that may have one. So as many empty texts as there are records
    # count, too. (Records with a word then count twice, but these are few.)
    scores = ranking.scores(
        texts, [*request.words, *request.ids], further_texts=len(records)
    )
    for path in (*request.named_records, *request.asker_records):
        scores.pop(path, None)

    fitting: dict[str, float] = {}
    for path, score in scaled_to_best(scores).items():
        if score >= MIN_WORD_SCORE:
            fitting[path] = score
    return fitting


def texts_with_words(
    records: Sequence[str], found_lines: Mapping[str, str], words: Sequence[str]
) -> dict[str, TitledText]:
    """Return the paths and found lines of the records that may have one of the words.

    A word is compared by its beginning, which its other forms share: `retur` for
    `returned`.
    """
    beginnings = [beginning_of(word) for word in words]
    texts: dict[str, TitledText] = {}
    for path in records:
        title = path.casefold()
        has_word = any(beginning in title for beginning in beginnings)
        if has_word or path in found_lines:
            texts[path] = TitledText(path, found_lines.get(path, ""))
    return texts
