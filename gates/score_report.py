"""Compares what the gates say about recorded answers with the scores of these answers.

A gate that rejects a wrong answer has *caught* it; one that rejects a right answer has *held it
up*. `python -m controlplane.gates score` prints how often each happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.recorded_answers import RecordedAnswer, judge_recorded
from controlplane.gates.rules import RuleSet
from controlplane.gates.verdicts import Judgement
from controlplane.sandbox.interface.outcomes import INTERNAL


@dataclass(frozen=True, slots=True)
class _RuleCount:
    """How often one rule, such as `6/wording`, has rejected answers."""

    caught: int
    """Wrong answers that it rejected."""
    held_up: int
    """Right answers that it rejected."""


@dataclass(frozen=True, slots=True)
class _ScoreReport:
    """How many wrong answers were caught and right ones held up, in total and by rule."""

    wrong: int
    """Number of wrong answers."""
    caught: int
    """Number of wrong answers that at least one rule rejected."""
    caught_percent: float
    """The share of `caught` in `wrong`: 30.0 for 12 of 40."""
    right: int
    """Number of right answers."""
    held_up: int
    """Number of right answers that at least one rule rejected."""
    held_up_ids: list[str]
    """The ids of these right answers."""
    by_rule: dict[str, _RuleCount]
    """The counts of each rule, those first that reject most often."""


def score_report(
    answers: Iterable[RecordedAnswer], rule_sets: tuple[RuleSet, ...] = ()
) -> _ScoreReport:
    """Judge recorded answers, and compare the verdicts with their scores.

    An answer is right if it has the full score, 1. Answers that gave up
    (`OUTCOME_ERR_INTERNAL`) are left out, and so are scores that come from somebody's notes.
    """
    wrong = _AnswerRejections()
    right = _AnswerRejections()
    for answer in answers:
        if not answer.is_graded or answer.outcome == INTERNAL:
            continue
        judgement = judge_recorded(answer, rule_sets)
        if answer.score < 1.0:
            wrong.add(answer, judgement)
        else:
            right.add(answer, judgement)

    rejections_by_rule = wrong.by_rule + right.by_rule  # the counts of both, added
    by_rule: dict[str, _RuleCount] = {}
    for key, _ in rejections_by_rule.most_common():
        by_rule[key] = _RuleCount(caught=wrong.by_rule[key], held_up=right.by_rule[key])
    caught = len(wrong.rejected_ids)
    return _ScoreReport(
        wrong=wrong.answers,
        caught=caught,
        caught_percent=round(100 * caught / max(wrong.answers, 1), 2),
        right=right.answers,
        held_up=len(right.rejected_ids),
        held_up_ids=right.rejected_ids,
        by_rule=by_rule,
    )


@dataclass(slots=True)
class _AnswerRejections:
    """How many of some answers, such as the wrong ones, were rejected, and by which rules."""

    answers: int = 0
    """Number of all these answers, rejected or not."""
    rejected_ids: list[str] = field(default_factory=list)
    by_rule: Counter[str] = field(default_factory=Counter)

    def add(self, answer: RecordedAnswer, judgement: Judgement) -> None:
        """Count an answer, and the rules that reject it."""
        self.answers += 1
        rules = [
            verdict.key for verdict in judgement.verdicts if verdict.result == "reject"
        ]
        self.by_rule.update(rules)
        if rules:
            self.rejected_ids.append(answer.id)


_SHOWN_IDS: Final = 6
"""A report names at most this many right answers that were held up."""


def report_text(report: _ScoreReport) -> str:
    """Return a report as lines of text: the totals, and a table of the rules."""
    caught = f"caught {report.caught} of {report.wrong} wrong answers ({report.caught_percent} %)"
    ids = " ".join(report.held_up_ids[:_SHOWN_IDS])
    held_up = f"held up {report.held_up} of {report.right} right ones {ids}".rstrip()
    lines = [f"{caught}; {held_up}", "", f"{'rule':44} {'caught':>7} {'held up':>8}"]
    for name, count in report.by_rule.items():
        lines.append(f"{name:44} {count.caught:7} {count.held_up:8}")
    return "\n".join(lines)
