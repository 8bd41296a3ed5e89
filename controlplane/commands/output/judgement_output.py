"""What the command `judge` prints: how much of it, what was left out, and the result as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from controlplane.replay.gate_tallies import tallies
from controlplane.replay.judgement_comparison import Rejudged
from controlplane.terminal_text import one_line, say


@dataclass(frozen=True, slots=True)
class JudgementOutput:
    """How the user wants judgements printed."""

    everything: bool
    """True to list every judgement, False for only the changed ones."""
    as_json: bool


def report_left_out(problems: Sequence[str]) -> None:
    """Print on standard error what was left out, and why: a text for each journal or trial."""
    for problem in problems:
        say(f"controlplane: left out: {one_line(problem)}", err=True)


def judgement_object(
    submissions: Sequence[Rejudged], runs: int, spent: Mapping[str, float] | None
) -> dict[str, object]:
    """Return the result as JSON has it: the submissions, and counts of them by effect and by gate.

    `spent` is what a second reader cost, by unit; None if no model read the answers.
    """
    result: dict[str, object] = {
        "runs": runs,
        "submissions": [_submission_object(submission) for submission in submissions],
        "counts": Counter(submission.effect for submission in submissions),
        "gates": [asdict(tally) for tally in tallies(submissions)],
    }
    if spent is not None:
        result["second_reader"] = spent
    return result


def _submission_object(submission: Rejudged) -> dict[str, object]:
    """Return a submission with its judgements, and whether its answer was right, as far as known."""
    result = asdict(submission)
    result["right"] = submission.is_right
    return result
