"""Scores the records that were found for a request.

A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12", which
also finds words of the request in `/records/loans/l-4.json`, the candidates are:

    /records/loans/l-12.json   NAMED: the request names it
    /records/books/b7.json     LINKED: `l-12` names it, as in {"book": "b7"}
    /records/loans/l-4.json    WORDS: a search found words of the request in it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason
from controlplane.agent.retrieval.record_search.record_finder import RecordFinder


def record_candidates(
    finder: RecordFinder, links: Sequence[str], word_scores: Mapping[str, float]
) -> dict[str, Candidate]:
    """Return the found records by path, with their scores and the reasons for them.

    `finder` knows the records that the request names, and those of the user who asks. `links`
    are the files to which the named records link. `word_scores` are those of the records with
    words of the request, by path.
    """
    named = finder.request.named_records
    asker = finder.request.asker_records
    candidates: dict[str, Candidate] = {}
    for path in (*named, *asker, *links, *word_scores):
        candidates[path] = Candidate(
            path,
            is_document=False,
            read_operation=finder.reader.operation,
            kind=finder.known.kind_of(path),
        )

    for path in named:
        candidates[path].add(Reason.NAMED)
    for path in asker:
        candidates[path].add(Reason.ASKER)
    for path in links:
        candidates[path].add(Reason.LINKED)
    for path, score in word_scores.items():
        candidates[path].word_score = score
        candidates[path].add(Reason.WORDS, score)
    return candidates
