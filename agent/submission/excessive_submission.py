"""Rejects a submission that is too long to be judged: it cites too many paths, or too long ones.

Citations of 4,000 paths -> the verdict "The submission cites 4000 paths; at most 1000 are judged."
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.submission import Submission
from controlplane.gates.verdicts import RULE_SET_GATE, Verdict
from controlplane.sandbox.interface import bounds

MAX_CITATIONS: Final = 1_000
"""A submission that cites more paths is not judged. Honest answers cite a few dozen at most."""


def verdict_on_excess(submission: Submission) -> Verdict | None:
    """Return the verdict on a submission that is too long to be judged; None if it is not.

    The verdict does not belong to any gate, so it has the number of rule sets.
    """
    reason = _reason_of_excess(submission)
    if reason is None:
        return None
    return Verdict(RULE_SET_GATE, "judging", result="reject", reason=reason)


def _reason_of_excess(submission: Submission) -> str | None:
    """Return why a submission is too long to be judged; None if it is not."""
    count = len(submission.citations)
    if count > MAX_CITATIONS:
        return (
            f"The submission cites {count} paths; at most {MAX_CITATIONS} are judged."
        )
    longest = max((len(path) for path in submission.citations), default=0)
    if longest > bounds.MOST_PATH_CHARS:
        return (
            f"The submission cites a path of {longest} characters; "
            f"at most {bounds.MOST_PATH_CHARS} are judged."
        )
    return None
