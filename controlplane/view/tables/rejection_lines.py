"""The lines about rejected answers and stopped calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.gate_texts import gates_and_rules_text
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.stopped_calls import StoppedCalls, stopped_calls
from controlplane.quantity_texts import count_text, score_text


def rejections_text(rejections: Mapping[str, int]) -> str:
    """Return how often each gate and rule rejected an answer.

    `sent back by gate 8 (literal tokens) ×12, SET/RULE ×1`
    """
    return f"sent back by {_counted(rejections)}"


def _counted(counts: Mapping[str, int]) -> str:
    """Return gates and rules with their counts: `gate 8 (literal tokens) ×12, SET/RULE ×1`."""
    suffixes = {}
    for key, count in dict(counts).items():  # Copy: running trials add to the original.
        suffixes[key] = f" ×{count}"
    return gates_and_rules_text(suffixes)


STOPPED_BY: Final = {
    # The benchmark judges calls before they are made, and objected to the call.
    "check": "pre-call check held",
    # An argument is known only from a text that the model read. Such a text may be an attack.
    "provenance": "held for values from read text alone:",
}
"""The beginning of a line about calls that were held back, by what held them back."""


def objection_lines(summary: RunSummary) -> list[str]:
    """Return the objections that answers were sent over, and what happened to calls held back.

    For example:

        accepted over objections: gate 8 (literal tokens) ×2
        pre-call check held 3 calls; done otherwise (mean score 1.00), 1 call; not done

    In the second line, the model did the same as 3 of the calls in another way, and
    those trials have a mean score of 1.00. One call was not made at all.
    """
    lines = []
    if summary.overridden:
        lines.append(f"accepted over objections: {_counted(summary.overridden)}")
    texts_by_stop: dict[str, list[str]] = {}
    for group in stopped_calls(summary.trials.copied()):
        texts_by_stop.setdefault(group.stopped_by, []).append(_group_text(group))
    for stopped_by, texts in texts_by_stop.items():
        lines.append(f"{STOPPED_BY[stopped_by]} {', '.join(texts)}")
    return lines


def _group_text(group: StoppedCalls) -> str:
    """Return what happened to calls: `1 call; done otherwise (mean score 1.00)`."""
    text = f"{count_text(group.count, 'call')}; {group.what_next}"
    if group.mean_score is not None:
        unscored = f", {group.unscored} without a score" if group.unscored else ""
        text += f" (mean score {score_text(group.mean_score)}{unscored})"
    return text
