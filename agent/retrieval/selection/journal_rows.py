"""The rows about files in the journal, which say how well each fits a request and if it is shown.

For "Renew my loan l-7":

    RankedFile(path="/loans/l-7.json", score=8.0, reason="named", chars=900)
    RankedFile(path="/docs/fees.md", score=0.4, reason="words", chars=0)      # not shown
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from controlplane.agent.events import RankedFile
from controlplane.agent.retrieval.file_candidate import Candidate
from controlplane.agent.retrieval.ranking_reasons import Reason

MAX_ROWS: Final = 40
"""How many files the journal lists for one request, shown or not."""
MAX_LEFT_OUT_ROWS: Final = 12
"""How many of them may be files that are not shown. The best of these are listed."""


def journal_rows(
    candidates: Iterable[Candidate], shown_chars: Mapping[str, int]
) -> tuple[RankedFile, ...]:
    """Return the rows for the journal: the shown files, then the best of the files left out.

    `shown_chars` has how many characters of each shown file are shown, by path. A file that
    nothing connects with the request has no row.
    """
    shown: list[RankedFile] = []
    left_out: list[RankedFile] = []
    for candidate in candidates:
        chars = shown_chars.get(candidate.path, 0)
        if chars:
            shown.append(_row(candidate, chars))
        elif candidate.reasons:
            left_out.append(_row(candidate, chars))
    rows = shown + left_out[:MAX_LEFT_OUT_ROWS]
    return tuple(rows[:MAX_ROWS])


def _row(candidate: Candidate, shown_chars: int) -> RankedFile:
    return RankedFile(
        path=candidate.path,
        score=round(candidate.score, 2),
        reason="+".join(candidate.reasons),
        chars=shown_chars,
    )


def is_fitting_left_out(file: RankedFile) -> bool:
    """Return True if a file of the journal's list fits, and may be shown, but is not shown.

    `file.reason` has the reasons for which it fits or must not be shown: `named+words`.
    """
    reasons = file.reason.split("+")
    is_refused = Reason.WITHHELD in reasons or Reason.NOT_IN_FORCE in reasons
    return bool(file.reason) and not file.chars and not is_refused
