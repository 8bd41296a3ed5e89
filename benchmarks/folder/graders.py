"""Graders that a task brings along: a `grade.py`, which runs in the sandbox like any script, and a rubric, by a model.

A model's verdict counts only with quotations: each fault quotes the answer, a changed file, or the demand of the rubric
that is not met. A grader that fails leaves its trial ungraded, to be graded again by `resume`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from pydantic import BaseModel, ConfigDict

from agent.loop import FOLDER, read_text
from agent.model import Message, Model
from benchmarks.folder.task_file import GRADE_FILE
from controlplane import BenchmarkError
from controlplane.tasks import GivenAnswer, Grade, grade_of
from gates.values import bare_text
from sandbox import Ending, ForkServer, Sandbox, working_layers
from sandbox.interface import CallError, ToolSchema, error_codes

_CALL: Final = """

scratchpad["graded"] = grade(*(scratchpad[_] for _ in ("answer", "outcome", "citations", "changes")))
"""


class Fault(BaseModel):
    """A fault, with the words that show it."""

    model_config = ConfigDict(extra="forbid")
    quote: str
    fault: str


class RubricVerdict(BaseModel):
    """The reply of a rubric's model."""

    model_config = ConfigDict(extra="forbid")
    faults: list[Fault]
    score: float


class _NoHost:
    """A grader's script calls nothing."""

    def __getattr__(self, name: str) -> NoReturn:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader has no calls")


def script_grade(code: str, given: GivenAnswer, changes: Mapping[str, str | None], server: ForkServer) -> Grade:
    """Return what `grade(answer, outcome, citations, changes)` of a grade.py says. Raises `BenchmarkError`."""
    host: Any = _NoHost()
    isolation = working_layers(server).working
    seen: dict[str, Any] = {
        "answer": given.message,
        "outcome": given.outcome,
        "citations": [*given.refs],
        "changes": {**changes},
    }
    with Sandbox(ToolSchema(()), host, now=None, seed=0, isolation=isolation, server=server) as box:
        box.restore(seen)
        result = box.run(code + _CALL)
        graded: Any = box.flat.get("graded")
    if result.ending is not Ending.FINISHED:
        msg = f"{GRADE_FILE}: {' '.join(result.error.split())}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    try:
        return grade_of(tuple(graded) if isinstance(graded, list) else graded, GRADE_FILE)
    except TypeError as error:
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error


def rubric_grade(
    model: Model, rubric: str, instruction: str, given: GivenAnswer, changes: Mapping[str, str | None]
) -> Grade:
    """Return a model's verdict by a rubric, whose faults are quoted. Raises `ModelError`, and `BenchmarkError` for a
    verdict below 1 without a fault that quotes what is there."""
    changed = "\n".join(f"{path}:\n{'(deleted)' if text is None else text}" for path, text in changes.items())
    shown = {
        "rubric": rubric,
        "task": instruction,
        "answer": f"{given.outcome}\n{given.message}",
        "changed files": changed[:20_000] or "(none)",
    }
    quotable = bare_text(f"{rubric}\n{shown['answer']}\n{shown['changed files']}")
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "rubric.md")},
        {"role": "user", "content": "\n\n".join(f"# The {name}\n\n{text}" for name, text in shown.items())},
    ]
    why = ""
    for _ in range(2):  # verdicts of a model that are looked at before the trial stays ungraded
        said = model.complete(messages, schema=RubricVerdict.model_json_schema()).text
        try:
            verdict = RubricVerdict.model_validate_json(said[said.find("{") : said.rfind("}") + 1])
        except ValueError:
            why = "Reply with one JSON object with faults and score alone."
        else:
            made_up = [
                one.quote for one in verdict.faults if bare_text(one.quote) not in quotable or not one.quote.strip()
            ]
            if not made_up and (verdict.faults or verdict.score >= 1):
                score = min(max(verdict.score, 0.0), 1.0) if verdict.faults else 1.0
                return Grade(score, tuple(f"{one.fault}: {one.quote!r:.200}" for one in verdict.faults))
            what = (
                f"{made_up[0]!r:.200} stands neither in the answer nor in the rubric"
                if made_up
                else "no fault is quoted"
            )
            why = f"Quote each fault word by word: {what}."
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": why}]
    msg = f"the rubric's model gave no verdict that counts: {why}"
    raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
