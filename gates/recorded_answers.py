"""Recorded answers with scores, on which the gates are measured.

Each answer is a JSON object on a line of its own:

    {"id": "a1", "task_text": "How many?", "outcome": "OUTCOME_OK", "message": "7", "score": 1.0}

A gate that rejects a wrong answer has *caught* it; one that rejects a right answer has *held it
up*. `python -m controlplane.gates score` prints how often each happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import judge
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from controlplane.sandbox.interface.outcomes import (
    GENERAL_OUTCOMES,
    INTERNAL,
    PLATFORM_OUTCOMES,
)


@dataclass(frozen=True, slots=True)
class _RecordedAnswer:
    """An answer of an earlier trial, with its score."""

    id: str
    task_text: str
    outcome: str | None
    message: str | None
    score: float
    refs: tuple[str, ...] | None = ()
    """The citations; a record may have null for none."""
    verdict: str = "grader"
    """Where the score comes from: `grader`, or `note` for somebody's notes, which may be wrong."""

    @property
    def is_graded(self) -> bool:
        """True if the score is that of a grader, which is right."""
        return self.verdict == "grader"


def read_scored(path: Path) -> Iterator[_RecordedAnswer]:
    """Yield the answers of a file of records.

    Raises `ValueError` that names file, line and fault: `a.jsonl:3: score: Field required`.
    """
    from pydantic import TypeAdapter, ValidationError

    reader = TypeAdapter(_RecordedAnswer)
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            if line.strip():
                yield reader.validate_json(line)
        except ValidationError as fault:
            first_error = fault.errors()[0]
            place = ".".join(str(part) for part in first_error["loc"]) or "the line"
            msg = f"{path}:{number}: {place}: {first_error['msg']}"
            raise ValueError(msg) from fault


def judge_recorded(
    answer: _RecordedAnswer, rule_sets: tuple[RuleSet, ...] = ()
) -> Judgement:
    """Judge a recorded answer as if it was submitted now. Its score is not used.

    What its trial read is not recorded, so the evidence is empty, and many gates do not apply.
    """
    submission = Submission(
        answer=answer.message or "",
        outcome=answer.outcome or "",
        refs=list(answer.refs or ()),
    )
    # Which outcomes its benchmark declares is not recorded either.
    outcomes = PLATFORM_OUTCOMES
    if answer.outcome in GENERAL_OUTCOMES.names:
        outcomes = GENERAL_OUTCOMES
    case = Case(answer.task_text, outcomes=outcomes)
    return judge(submission, Evidence(), case, rule_sets=rule_sets)


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
    answers: Iterable[_RecordedAnswer], rule_sets: tuple[RuleSet, ...] = ()
) -> _ScoreReport:
    """Judge recorded answers, and compare the verdicts with their scores.

    An answer is right if it has the full score, 1. Answers that gave up
    (`OUTCOME_ERR_INTERNAL`) are left out, and so are scores that come from somebody's notes.
    """
    # Both are kept by whether the answers are right.
    counts = {True: 0, False: 0}
    rejected_ids: dict[bool, list[str]] = {True: [], False: []}
    by_rule: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for answer in answers:
        if not answer.is_graded or answer.outcome == INTERNAL:
            continue
        is_right = answer.score >= 1.0
        counts[is_right] += 1
        verdicts = judge_recorded(answer, rule_sets).verdicts
        rules = [verdict.key for verdict in verdicts if verdict.result == "reject"]
        by_rule[is_right].update(rules)
        if rules:
            rejected_ids[is_right].append(answer.id)

    caught = len(rejected_ids[False])
    return _ScoreReport(
        wrong=counts[False],
        caught=caught,
        caught_percent=round(100 * caught / max(counts[False], 1), 2),
        right=counts[True],
        held_up=len(rejected_ids[True]),
        held_up_ids=rejected_ids[True],
        by_rule={
            key: _RuleCount(caught=by_rule[False][key], held_up=by_rule[True][key])
            for key, _ in (by_rule[False] + by_rule[True]).most_common()
        },
    )


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
