"""How often each gate would judge differently now, over all submissions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from controlplane.replay.judgement_comparison import Rejudged


@dataclass(frozen=True, slots=True)
class GateTally:
    """How one gate or rule would judge differently now than in the run.

    A stopped answer is one that was accepted in the run, and that the gate rejects now.
    """

    name: str
    stops_right: int = 0
    """The number of stopped answers that the grader found right."""
    stops_wrong: int = 0
    """The number of stopped answers that the grader found wrong."""
    stops_unscored: int = 0
    """The number of stopped answers without a score."""
    rejects_no_more: int = 0
    """The number of submissions that it rejected in the run, and would not reject now."""


def tallies(submissions: Iterable[Rejudged]) -> tuple[GateTally, ...]:
    """Return the counts of changed judgements for each gate and rule, sorted by name."""
    tally_by_name: dict[str, GateTally] = {}

    for submission in submissions:
        if submission.effect == "stopped":
            for name in submission.rejected_after:
                tally = tally_by_name.get(name, GateTally(name))
                tally_by_name[name] = _with_stop(tally, is_right=submission.is_right)
        for name in set(submission.rejected_before) - set(submission.rejected_after):
            tally = tally_by_name.get(name, GateTally(name))
            count = tally.rejects_no_more + 1
            tally_by_name[name] = replace(tally, rejects_no_more=count)
    return tuple(tally_by_name[name] for name in sorted(tally_by_name))


def _with_stop(tally: GateTally, *, is_right: bool | None) -> GateTally:
    """Return a tally with one more stopped answer."""
    if is_right is None:
        return replace(tally, stops_unscored=tally.stops_unscored + 1)
    if is_right:
        return replace(tally, stops_right=tally.stops_right + 1)
    return replace(tally, stops_wrong=tally.stops_wrong + 1)
