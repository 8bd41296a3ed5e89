"""Recorded answers with their scores, one JSON object per line.

An answer and its score are two models read from the same line, so that no score can reach a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from gates.ordered_gates import judge
from gates.rule_packs import Pack
from gates.types.evidence import Evidence
from gates.types.submission import Case, Submission
from gates.types.verdict import Judgement

_TextOrNone: TypeAlias = Annotated[str, BeforeValidator(lambda given: "" if given is None else given)]


class RecordedAnswer(BaseModel):
    """The part of a record that the gates may see."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    benchmark: str = ""
    task_id: str = ""
    task_text: str
    outcome: _TextOrNone
    message: _TextOrNone
    """Empty, like the outcome, if the record holds null: nothing was answered."""
    refs: Annotated[tuple[str, ...], BeforeValidator(lambda given: () if given is None else given)] = ()


class RecordedScore(BaseModel):
    """The score of the answer with the same id."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    source: str = ""
    run: str = ""
    task_family: str = ""
    model_family: str = ""
    outcome: str = ""
    score: float
    grader: tuple[str, ...] = ()
    verdict: str = "grader"
    """`grader` if the score comes from the grader's own record, `note` if it comes from notes."""


_NO_TRACE: Final = Evidence()
_Model = TypeVar("_Model", bound=BaseModel)


class RecordError(ValueError):
    """A file holds no recorded answers; the message names the file, the line and the fault."""


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-empty lines of a file with their numbers. Raises `RecordError` if it is not UTF-8 text."""
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as fault:
        msg = f"{path}: not UTF-8 text ({fault.reason} at byte {fault.start})"
        raise RecordError(msg) from fault


def read_answers(path: Path) -> Iterator[RecordedAnswer]:
    """Yield the answers of a file of records. Raises `RecordError`."""
    for number, line in read_lines(path):
        yield _parsed(RecordedAnswer, path, number, line)


def read_scores(path: Path) -> Iterator[RecordedScore]:
    """Yield the scores of a file of records. Raises `RecordError`, also for a record without one."""
    for number, line in read_lines(path):
        yield _parsed(RecordedScore, path, number, line)


def _parsed(model: type[_Model], path: Path, number: int, line: str) -> _Model:
    try:
        return model.model_validate_json(line)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(each) for each in first["loc"]) or "the line"
        msg = f"{path}:{number}: {where}: {first['msg']}"
        raise RecordError(msg) from fault


def read_runs(path: Path) -> frozenset[tuple[str, str]]:
    """Return the runs that a file lists, a source and a run per line with a tab between. Raises `RecordError`."""
    runs: set[tuple[str, str]] = set()
    for number, line in read_lines(path):
        if line.startswith("#"):
            continue
        source, tab, run = line.rstrip("\n").partition("\t")
        if not tab:
            msg = f"{path}:{number}: a line names a source and a run, with a tab between"
            raise RecordError(msg)
        runs.add((source, run))
    return frozenset(runs)


def judge_recorded(answer: RecordedAnswer, packs: tuple[Pack, ...] = ()) -> Judgement:
    """Judge a recorded answer, which has neither trace nor scratchpad."""
    submission = Submission(answer=answer.message, outcome=answer.outcome, refs=list(answer.refs))
    return judge(submission, _NO_TRACE, Case(answer.task_text), packs=packs)
