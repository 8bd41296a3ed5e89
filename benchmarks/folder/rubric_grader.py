"""Grades a trial by a model's verdict on a rubric.

A rubric is a text with criteria, such as `The answer names the reason.` A model may
invent faults. So it has to quote each of them: a part of the answer, of a changed file,
or of the rubric. A verdict with a quotation that is in none of them does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane import BenchmarkError
from controlplane.agent.loop import FOLDER, read_text
from controlplane.agent.model import Message, Model
from controlplane.benchmarks.folder.rubric_verdict import (
    RubricVerdict,
    objection_to,
    verdict_in,
)
from controlplane.gates.text_folding import bare_text
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import SubmittedAnswer
from controlplane.sandbox.interface import error_codes

MAX_SHOWN_CHANGES_CHARS: Final = 20_000
"""The most characters of changed files that a rubric's model sees."""
MAX_VERDICTS: Final = 2
"""The most replies of a rubric's model. If none of them is valid, the trial has no grade."""


def rubric_grade(
    model: Model,
    rubric: str,
    instruction: str,
    submission: SubmittedAnswer,
    changes: Mapping[str, str | None],
) -> Grade:
    """Return a model's grade by a rubric.

    `changes` has the new texts of changed files by path, and None for deleted ones. Raises
    `ModelError`, and `BenchmarkError` if no verdict of the model is valid.
    """
    answer = f"{submission.outcome}\n{submission.message}"
    changed_files = _changes_text(changes)
    sections = [
        f"# The rubric\n\n{rubric}",
        f"# The task\n\n{instruction}",
        f"# The answer\n\n{answer}",
        f"# The changed files\n\n{changed_files}",
    ]
    # Folded, because a quotation need not have the same blanks and capital letters.
    quotable_text = bare_text(f"{rubric}\n{answer}\n{changed_files}")
    return _grade_in(_Conversation(model, "\n\n".join(sections)), quotable_text)


class _Conversation:
    """The conversation with a rubric's model. Call `reply`; if it is invalid, `refuse` it."""

    def __init__(self, model: Model, text: str) -> None:
        self._model = model
        self._messages: list[Message] = [
            {"role": "system", "content": read_text(FOLDER / "rubric.md")},
            {"role": "user", "content": text},
        ]

    def reply(self) -> str:
        """Return the model's next reply. Raises `ModelError`."""
        schema = RubricVerdict.model_json_schema()
        reply = self._model.complete(self._messages, schema=schema).text
        self._messages.append({"role": "assistant", "content": reply})
        return reply

    def refuse(self, objection: str) -> None:
        """Tell the model why its reply does not count."""
        self._messages.append({"role": "user", "content": objection})


def _grade_in(conversation: _Conversation, quotable_text: str) -> Grade:
    """Return the grade in the model's first valid reply.

    The faults in a valid reply have quotes that occur in `quotable_text`. Raises
    `BenchmarkError` if none of `MAX_VERDICTS` replies is valid.
    """
    objection = ""
    for _ in range(MAX_VERDICTS):
        verdict = verdict_in(conversation.reply())  # None: the reply is not a verdict.
        objection = objection_to(verdict, quotable_text)
        if verdict is not None and not objection:
            details = [
                f"{fault.fault}: {fault.quote!r:.200}" for fault in verdict.faults
            ]
            return Grade(verdict.score, tuple(details))
        conversation.refuse(objection)
    msg = f"the rubric's model gave no verdict that counts: {objection}"
    raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)


def _changes_text(changes: Mapping[str, str | None]) -> str:
    """Return the changed files as a rubric's model sees them: `/stock.txt:`, and its text below."""
    parts = []
    for path, text in changes.items():
        shown_text = "(deleted)" if text is None else text
        parts.append(f"{path}:\n{shown_text}")
    whole_text = "\n".join(parts)
    if not whole_text:
        return "(none)"
    left_out = len(whole_text) - MAX_SHOWN_CHANGES_CHARS
    if left_out <= 0:
        return whole_text
    beginning = whole_text[:MAX_SHOWN_CHANGES_CHARS]
    return f"{beginning}\n(Further {left_out:,} characters are not shown.)"
