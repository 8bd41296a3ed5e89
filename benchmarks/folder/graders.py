"""Graders that a task brings along: a `grade.py`, which runs in the sandbox like any script, and a rubric, by a model.

A model's verdict counts only with quotations: each fault quotes the answer, a changed file, or the demand of the rubric
that is not met. A grader that fails leaves its trial ungraded, to be graded again by `resume`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.loop import FOLDER, read_text
from agent.model import Message, Model
from benchmarks.folder.task_file import GRADE_FILE
from controlplane.tasks import GivenAnswer, Grade
from sandbox import Ending, ForkServer, Sandbox, Verify, working_layers
from sandbox.interface import CallError, Plain, ToolSchema, error_codes

_CALL: Final = """

scratchpad["graded"] = grade(*(scratchpad[_] for _ in ("answer", "outcome", "citations", "changes")))
"""
RUBRIC_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "faults": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"quote": {"type": "string"}, "fault": {"type": "string"}},
                "required": ["quote", "fault"],
                "additionalProperties": False,
            },
        },
        "score": {"type": "number"},
    },
    "required": ["faults", "score"],
    "additionalProperties": False,
}
MOST_SHOWN_CHARS: Final = 20_000


class GraderFailed(Exception):
    """A task's own grader gave no grade. The message says why."""


class _NoHost:
    """A grader calls nothing."""

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader has no calls")

    def call_all(self, calls: Sequence[tuple[str, Mapping[str, Plain]]]) -> list[Mapping[str, Plain] | CallError]:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader has no calls")

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader cites nothing")

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader answers nothing")


class GradeScripts:
    """Runs graders in the sandbox; its server starts at the first one. Used from many threads."""

    def __init__(self) -> None:
        self._server: ForkServer | None = None
        self._lock = threading.Lock()

    def grade(self, code: str, given: GivenAnswer, changes: Mapping[str, str | None]) -> Grade:
        """Return what `grade(answer, outcome, citations, changes)` of a grader says. Raises `GraderFailed`."""
        with self._lock:
            self._server = self._server or ForkServer()
        isolation = working_layers(self._server).working
        with Sandbox(ToolSchema(()), _NoHost(), now=None, seed=0, isolation=isolation, server=self._server) as box:
            box.restore(
                {
                    "answer": given.message,
                    "outcome": given.outcome,
                    "citations": [*given.refs],
                    "changes": {**changes},
                }
            )
            result = box.run(code + _CALL)
            graded = box.flat.get("graded")
        if result.ending is not Ending.FINISHED:
            msg = f"{GRADE_FILE}: {' '.join(result.error.split())}"
            raise GraderFailed(msg)
        score, lines = (*graded, [])[:2] if isinstance(graded, list) and graded else (graded, [])
        if isinstance(score, bool | int | float) and isinstance(lines, list):
            return Grade(float(score), tuple(map(str, lines)) if score < 1 else ())
        msg = f"{GRADE_FILE}: grade() returns a score from 0 to 1, or (score, lines), not {graded!r:.200}"
        raise GraderFailed(msg)

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.close()


def rubric_grade(
    model: Model, rubric: str, instruction: str, given: GivenAnswer, changes: Mapping[str, str | None]
) -> Grade:
    """Return a model's verdict by a rubric, whose faults are quoted. Raises `ModelError`, and `GraderFailed` for a
    verdict below 1 without a fault that quotes what is there."""
    changed = "\n".join(f"{path}:\n{'(deleted)' if text is None else text}" for path, text in changes.items())
    seen = f"{given.outcome}\n{given.message}\n{changed}"[:MOST_SHOWN_CHARS]
    values = {"rubric": rubric, "instruction": instruction, "answer": given.message, "outcome": given.outcome}
    values["changes"] = changed[:MOST_SHOWN_CHARS] or "(none)"
    text = read_text(FOLDER / "rubric.md")
    for name, value in values.items():
        text = text.replace(f"{{{{{name}}}}}", value.replace("{{", "{ {"))
    messages: list[Message] = [{"role": "user", "content": text}]
    why = ""
    for _ in range(2):  # verdicts of a model that are looked at before the trial stays ungraded
        said = model.complete(messages, schema=RUBRIC_SCHEMA).text
        grade, why = _verdict(said, f"{seen}\n{rubric}")
        if grade is not None:
            return grade
        messages = [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": why}]
    msg = f"the rubric's model gave no verdict that counts: {why}"
    raise GraderFailed(msg)


def _verdict(said: str, seen: str) -> tuple[Grade | None, str]:
    """Return the grade that a reply holds, or None and what is wrong with it."""
    try:
        value: Any = json.loads(said[said.find("{") : said.rfind("}") + 1])
        score = min(max(float(value["score"]), 0.0), 1.0)
        faults = [(str(one["quote"]), str(one["fault"])) for one in value["faults"]]
    except (ValueError, KeyError, TypeError) as error:
        return None, f"Reply with one JSON object with faults and score alone ({type(error).__name__})."
    folded = " ".join(seen.split()).casefold()
    quoted = [(quote, fault) for quote, fault in faults if quote.strip() and _folded(quote) in folded]
    if len(quoted) < len(faults) or (score < 1 and not faults):
        missing = next((quote for quote, _ in faults if (quote, _) not in quoted), "")
        what = f"{missing[:200]!r} stands neither in the answer nor in the rubric" if missing else "no fault is quoted"
        return None, f"Quote each fault word by word: {what}."
    return Grade(score if quoted else 1.0, tuple(f"{fault}: {quote!r:.200}" for quote, fault in quoted)), ""


def _folded(quote: str) -> str:
    return " ".join(quote.split()).casefold()
