"""Submissions from a file, judged one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gates.evaluation.recorded_answers import judge_recorded, read_answers
from gates.rule_packs import Pack
from gates.types.verdict import Judgement, Verdict


@dataclass(frozen=True, slots=True)
class CheckLine:
    """The verdict on one submission."""

    id: str
    rejected: bool
    gate: str
    """The first gate (its number) or rule (its name) that rejects; empty where none does."""
    reason: str
    applied: tuple[str, ...]
    """Every gate and rule that had something to judge."""

    def as_json(self) -> dict[str, str | bool | list[str]]:
        """Return the line as JSON data."""
        return {
            "id": self.id,
            "rejected": self.rejected,
            "gate": self.gate,
            "reason": self.reason,
            "applied": list(self.applied),
        }

    def as_text(self) -> str:
        """Return the line for people."""
        if not self.rejected:
            return f"{self.id}  accepted"
        return f"{self.id}  rejected  {self.gate}  {' | '.join(self.reason.splitlines())}"


def name_of(verdict: Verdict) -> str:
    """Return how a verdict's gate is named in a line: its number, or the rule's name."""
    return str(verdict.gate) if verdict.gate else verdict.name


def line_of(submission_id: str, judgement: Judgement) -> CheckLine:
    """Return the line for a judgement."""
    first = next((each for each in judgement.verdicts if each.rejects and each.enforced), None)
    applied = tuple(name_of(each) for each in judgement.verdicts if each.result in ("pass", "reject"))
    gate = name_of(first) if first else ""
    return CheckLine(submission_id, not judgement.accepted, gate, judgement.message, applied)


def check_file(path: Path, packs: tuple[Pack, ...]) -> Iterator[CheckLine]:
    """Yield one line for every submission of a file of recorded answers. Raises `RecordError`."""
    for answer in read_answers(path):
        yield line_of(answer.id, judge_recorded(answer, packs))
