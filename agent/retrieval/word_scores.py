"""Scales the scores that SQLite's full-text index gives to texts: the best one gets 1.

The index says how well the words of a text fit a request. Its scores have no unit, and depend on
the number of texts. So a *word score* says how well a file fits in comparison with the best one.
Documents (texts for all requests) are compared with documents, and records (files about one
case) with records.
"""

from __future__ import annotations

from collections.abc import Mapping


def scaled_to_best(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores from 0 to 1 for files, by path. The best one has 1.

    `{"/a.md": 8, "/b.md": 2}` -> `{"/a.md": 1.0, "/b.md": 0.25}`

    If no score is above 0, all become 1, because no file fits better than another.
    """
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return dict.fromkeys(scores, 1.0)
    return {path: score / best for path, score in scores.items()}
