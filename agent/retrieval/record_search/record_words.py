"""Scores records by the words of a request, in their paths and in the lines that a search found.

A record is a file about one case, such as `/records/loans/l-12.json`. For "Which loan is late?",
if a search has found the line `"state": "late"` in one of three records:

| record | has | score |
|---|---|---|
| `/records/loans/l-4.json` | `loan` in its path, `late` in the found line | 1.0 |
| `/records/loans/l-12.json` | `loan` in its path | 0.49, as a share of the best score |
| `/records/books/b7.json` | no word | none |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.retrieval.request_terms import RequestTerms
from controlplane.agent.retrieval.word_scores import scaled_to_best
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
    """Return the word scores of the records that fit, by path, the best first.

    Records that the request names, and those of the user who asks, are left out: they are
    shown anyway.

    Args:
        records: The paths of all records.
        found_lines: The lines that a search found, by the record's path.
        request: The words and ids of the request.
        ranking: Compares words with texts.
    """
    texts = texts_with_words(records, found_lines, request.words)
    words = [*request.words, *request.ids]
    # A word counts more if few of all texts have it. But `texts` has only records with words. So
    # as many empty texts are added as there are records: a word is then rare among all of them.
    scores = ranking.scores(texts, words, empty_texts=len(records))
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
    """Return the records that may have a word of the request: their paths, as titles, with the
    lines that the search found in them.

    The search has looked for words and ids. So only the paths are looked at here. A word may be
    there in another form, so its beginning is compared: `retur` of `returned`.
    """
    beginnings = [beginning_of(word) for word in words]
    texts: dict[str, TitledText] = {}
    for path in records:
        title = path.casefold()
        has_word = any(beginning in title for beginning in beginnings)
        if has_word or path in found_lines:
            texts[path] = TitledText(path, found_lines.get(path, ""))
    return texts
