"""Recorded answers with scores, on which the gates are measured.

Each answer is a JSON object on a line of its own:

    {"id": "a1", "task_text": "How many?", "outcome": "OUTCOME_OK", "message": "7", "score": 1.0}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import judge
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from controlplane.sandbox.interface.outcomes import (
    GENERAL_OUTCOMES,
    PLATFORM_OUTCOMES,
)


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
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


def read_scored(path: Path) -> Iterator[RecordedAnswer]:
    """Yield the answers of a file of records.

    Raises `ValueError` that names file, line and fault: `a.jsonl:3: score: Field required`.
    """
    from pydantic import TypeAdapter, ValidationError

    reader = TypeAdapter(RecordedAnswer)
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
    answer: RecordedAnswer, rule_sets: tuple[RuleSet, ...] = ()
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
