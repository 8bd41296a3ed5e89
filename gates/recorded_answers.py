"""Judges recorded answers, one JSON object per line, and measures gates and rules by the scores beside them.

An answer and its score are two models read from the same line, so that no score can reach a verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from gates.evidence import Evidence
from gates.judging import judge
from gates.rules import Pack
from gates.submission import INTERNAL, Case, Submission
from gates.verdict import Judgement

_TextOrNone: TypeAlias = Annotated[str, BeforeValidator(lambda given: "" if given is None else given)]


class RecordedAnswer(BaseModel):
    """The part of a record that the gates may see. A null outcome or message is an empty one."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    task_text: str
    outcome: _TextOrNone
    message: _TextOrNone
    refs: Annotated[tuple[str, ...], BeforeValidator(lambda given: () if given is None else given)] = ()


class RecordedScore(BaseModel):
    """The score of the answer with the same id."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    score: float
    verdict: str = "grader"
    """`grader` if the score comes from the grader's own record, `note` if it comes from notes."""


class RecordError(ValueError):
    """A file does not hold recorded answers; the message names the file, the line and the fault."""


def read_scored(path: Path) -> Iterator[tuple[RecordedAnswer, RecordedScore]]:
    """Yield the answers of a file of records with their scores. Raises `RecordError`, also for text of another kind."""
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                place = f"{path}:{number}"
                if line.strip():
                    yield RecordedAnswer.model_validate_json(line), RecordedScore.model_validate_json(line)
    except UnicodeDecodeError as fault:
        msg = f"{path}: not UTF-8 text ({fault.reason} at byte {fault.start})"
        raise RecordError(msg) from fault
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        msg = f"{place}: {where}: {first['msg']}"
        raise RecordError(msg) from fault


def judge_recorded(answer: RecordedAnswer, packs: tuple[Pack, ...] = ()) -> Judgement:
    """Judge a recorded answer, which has neither trace nor scratchpad."""
    submission = Submission(answer=answer.message, outcome=answer.outcome, refs=list(answer.refs))
    return judge(submission, Evidence(), Case(answer.task_text), packs=packs)


@dataclass(frozen=True, slots=True)
class Measured:
    """One scored answer, and the gates and rules that reject it."""

    id: str
    is_right: bool
    """True if the answer has the full score."""
    rejected_by: tuple[str, ...]


def measure(pairs: Sequence[tuple[RecordedAnswer, RecordedScore]], packs: tuple[Pack, ...]) -> list[Measured]:
    """Judge scored answers. Leaves out internal errors and scores that come from notes."""
    return [
        Measured(
            answer.id,
            score.score >= 1.0,
            tuple(one.key for one in judge_recorded(answer, packs).verdicts if one.result == "reject"),
        )
        for answer, score in pairs
        if score.verdict == "grader" and answer.outcome != INTERNAL
    ]


def score_report(measured: Sequence[Measured]) -> dict[str, Any]:
    """Return how many wrong answers were caught and how many right ones were held up, in total and by rule."""
    wrong = [one for one in measured if not one.is_right]
    right = [one for one in measured if one.is_right]
    rules = Counter(name for one in measured for name in one.rejected_by)
    caught = sum(bool(one.rejected_by) for one in wrong)
    held_up = [one.id for one in right if one.rejected_by]
    return {
        "wrong": len(wrong),
        "caught": caught,
        "caught_percent": round(100 * caught / max(len(wrong), 1), 2),
        "right": len(right),
        "held_up": len(held_up),
        "held_up_ids": held_up,
        "by_rule": {
            name: {
                "caught": sum(name in one.rejected_by for one in wrong),
                "held_up": sum(name in one.rejected_by for one in right),
            }
            for name, _ in rules.most_common()
        },
    }


def report_text(report: dict[str, Any]) -> str:
    """Return a report as text."""
    lines = [
        f"caught {report['caught']} of {report['wrong']} wrong answers ({report['caught_percent']} %); "
        f"held up {report['held_up']} of {report['right']} right ones {' '.join(report['held_up_ids'][:6])}".rstrip(),
        "",
        f"{'rule':44} {'caught':>7} {'held up':>8}",
        *(f"{name:44} {counts['caught']:7} {counts['held_up']:8}" for name, counts in report["by_rule"].items()),
    ]
    return "\n".join(lines)
