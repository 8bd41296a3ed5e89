"""The lines that `python -m gates check` prints: the judgement on each submission of a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gates.evaluation.recorded_answers import judge_recorded, read_answers
from gates.rule_packs import Pack
from gates.types.verdict import Judgement, Verdict


@dataclass(frozen=True, slots=True)
class CheckLine:
    """The judgement on one submission."""

    id: str
    rejected: bool
    gate: str
    """The number of the first gate, or the name of the first rule, that rejects; empty if none does."""
    reason: str
    applied: tuple[str, ...]
    """Every gate and rule that passed or rejected."""

    def as_text(self) -> str:
        """Return the line for people."""
        if not self.rejected:
            return f"{self.id}  accepted"
        return f"{self.id}  rejected  {self.gate}  {' | '.join(self.reason.splitlines())}"


def name_of(verdict: Verdict) -> str:
    """Return the number of a verdict's gate, or the name of its rule."""
    return str(verdict.gate) if verdict.gate else verdict.name


def line_of(submission_id: str, judgement: Judgement) -> CheckLine:
    """Return the line of a judgement."""
    first = next((each for each in judgement.verdicts if each.rejects and each.enforced), None)
    applied = tuple(name_of(each) for each in judgement.verdicts if each.result in ("pass", "reject"))
    gate = name_of(first) if first else ""
    return CheckLine(submission_id, not judgement.accepted, gate, judgement.message, applied)


def check_file(path: Path, packs: tuple[Pack, ...]) -> Iterator[CheckLine]:
    """Judge every submission of a file of recorded answers, one line each. Raises `RecordError`."""
    for answer in read_answers(path):
        yield line_of(answer.id, judge_recorded(answer, packs))
