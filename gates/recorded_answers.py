"""Judges recorded answers, one JSON object per line, and measures gates and rules by the scores beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from gates.evidence import Evidence
from gates.judging import judge
from gates.rules import RuleSet
from gates.submission import INTERNAL, Case, Submission
from gates.verdict import Judgement

_TextOrNone: TypeAlias = Annotated[str, BeforeValidator(lambda given: "" if given is None else given)]


class RecordedAnswer(BaseModel):
    """An answer with its score. A null outcome or message is an empty one."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    task_text: str
    outcome: _TextOrNone
    message: _TextOrNone
    refs: Annotated[tuple[str, ...], BeforeValidator(lambda given: () if given is None else given)] = ()
    score: float
    verdict: str = "grader"
    """`grader` if the score comes from the grader's own record, `note` if it comes from notes."""


class RecordError(ValueError):
    """A file does not hold recorded answers; the message names the file, the line and the fault."""


def read_scored(path: Path) -> Iterator[RecordedAnswer]:
    """Yield the answers of a file of records. Raises `RecordError`, also for text of another kind."""
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                place = f"{path}:{number}"
                if line.strip():
                    yield RecordedAnswer.model_validate_json(line)
    except UnicodeDecodeError as fault:
        msg = f"{path}: not UTF-8 text ({fault.reason} at byte {fault.start})"
        raise RecordError(msg) from fault
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        msg = f"{place}: {where}: {first['msg']}"
        raise RecordError(msg) from fault


def judge_recorded(answer: RecordedAnswer, rule_sets: tuple[RuleSet, ...] = ()) -> Judgement:
    """Judge a recorded answer, which has neither trace nor scratchpad, without its score."""
    submission = Submission(answer=answer.message, outcome=answer.outcome, refs=list(answer.refs))
    return judge(submission, Evidence(), Case(answer.task_text), rule_sets=rule_sets)


def score_report(answers: Iterable[RecordedAnswer], rule_sets: tuple[RuleSet, ...] = ()) -> dict[str, Any]:
    """Return how many wrong answers were caught and how many right ones were held up, in total and by rule.

    Leaves out internal errors and scores that come from notes. An answer is right if it has the full score.
    """
    told = [one for one in answers if one.verdict == "grader" and one.outcome != INTERNAL]
    rejected_by = [
        [one.key for one in judge_recorded(each, rule_sets).verdicts if one.result == "reject"] for each in told
    ]
    right = [(one, rules) for one, rules in zip(told, rejected_by, strict=True) if one.score >= 1.0]
    wrong = [rules for one, rules in zip(told, rejected_by, strict=True) if one.score < 1.0]
    caught = Counter(rule for rules in wrong for rule in rules)
    held_up = Counter(rule for _, rules in right for rule in rules)
    return {
        "wrong": len(wrong),
        "caught": sum(map(bool, wrong)),
        "caught_percent": round(100 * sum(map(bool, wrong)) / max(len(wrong), 1), 2),
        "right": len(right),
        "held_up": sum(bool(rules) for _, rules in right),
        "held_up_ids": [one.id for one, rules in right if rules],
        "by_rule": {
            name: {"caught": caught[name], "held_up": held_up[name]} for name, _ in (caught + held_up).most_common()
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
