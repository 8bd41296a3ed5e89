"""Grade a trial of a folder's task by its expected end, its `grade.py`, or a model's
verdict.

A `grade.py` runs in the sandbox like any script. A model's verdict by a rubric must
quote its evidence: for each fault, a part of the answer, of a changed file, or of the
rubric.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from pydantic import Field

from controlplane import BenchmarkError
from controlplane.agent.loop import FOLDER, read_text
from controlplane.agent.model import Frozen, Message, Model
from controlplane.benchmarks.folder.task_file import GRADE_FILE
from controlplane.benchmarks.folder.task_folder import FolderTask
from controlplane.expected_end import faults_of
from controlplane.gates.support.value_support import values_reported
from controlplane.gates.text_folding import (
    TextIndex,
    bare_text,
    is_boilerplate,
    tokens_of,
)
from controlplane.local_benchmark import Grade
from controlplane.local_environment import LocalEnvironment, SubmittedAnswer
from controlplane.sandbox import Ending, ForkServer, Sandbox, working_layers
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.interface import CallError, ToolSchema, error_codes
from controlplane.tool_benchmark import grade_of

YES_AND_NO: Final = frozenset({"yes", "no", "ja", "nein", "oui", "non", "si"})
MAX_REQUIRED_WORDS: Final = 3
"""The most special words that the right answer may have if they are required. A right
answer with more is a sentence, which may be said in other words."""
MAX_SHOWN_CHANGES_CHARS: Final = 20_000
"""The most characters of changed files that a rubric's model sees."""
MAX_VERDICTS: Final = 2
"""How many replies of a rubric's model are read until the trial stays ungraded."""
GRADE_CALL: Final = """

scratchpad["graded"] = grade(
    scratchpad["answer"], scratchpad["outcome"], scratchpad["citations"], scratchpad["changes"]
)
"""
"""The code that is appended to a grade.py. It passes what is in the scratchpad to the
function `grade`, and leaves the function's result there."""


def expected_grade(task: FolderTask, environment: LocalEnvironment) -> Grade:
    """Return the grade by the expected end: 1 if there is no fault, else 0.

    `faults_of` checks the outcome, the changes and most of the answer. Only a task of a
    folder has the keys `pattern` and `states`.
    """
    expected = task.file.expected
    assert expected is not None
    assert task.expectation is not None
    faults = list(faults_of(task.expectation, environment))
    submission = environment.submission
    if submission is not None:
        message = submission.message.strip()
        if expected.pattern and not compiled_pattern(expected.pattern).fullmatch(
            message
        ):
            faults.append(f"answer should fit the pattern {expected.pattern!r}")
        missing_values = values_lacking(message, expected.states, task.file.instruction)
        if missing_values:
            faults.append(f"answer should state {', '.join(missing_values)}")
    return Grade(0.0 if faults else 1.0, tuple(faults))


def values_lacking(message: str, right_answer: str, question: str) -> list[str]:
    """Return the values of the right answer that a message lacks: `["12"]` for `12
    chairs`.

    A value may have any format. Values that the question states already are not
    required. A right answer without required values is compared by its special words,
    and by its leading yes or no.
    """
    values = values_reported(right_answer)
    # With two texts, `values_reported` returns the values that both have.
    values_in_question = values_reported(right_answer, question)
    required_values = [value for value in values if value not in values_in_question]
    if required_values:
        values_in_message = values_reported(right_answer, message)
        return [value for value in required_values if value not in values_in_message]

    missing_words = _special_words_lacking(message, right_answer, question)
    if missing_words:
        return missing_words
    first_words = tokens_of(right_answer)[:1]
    is_yes_or_no = bool(first_words) and first_words[0] in YES_AND_NO
    if is_yes_or_no and tokens_of(message)[:1] != first_words:
        return list(first_words)
    return []


def _special_words_lacking(message: str, right_answer: str, question: str) -> list[str]:
    """Return the special words of the right answer that a message lacks.

    A word is special if it is not in the question and not common in all answers. If the
    right answer has more than `MAX_REQUIRED_WORDS` of them, none is required.
    """
    question_index = TextIndex(question)
    special_words = []
    for word in dict.fromkeys(tokens_of(right_answer)):
        if not is_boilerplate(word) and not question_index.holds(word):
            special_words.append(word)
    if len(special_words) > MAX_REQUIRED_WORDS:
        return []
    message_index = TextIndex(message)
    return [word for word in special_words if not message_index.holds(word)]


class _NoHost:
    """The environment of a grader's script, which refuses all calls."""

    def __getattr__(self, name: str) -> NoReturn:
        raise CallError(error_codes.UNIMPLEMENTED, "a grader has no calls")


def script_grade(
    code: str,
    submission: SubmittedAnswer,
    changes: Mapping[str, str | None],
    server: ForkServer,
) -> Grade:
    """Run `grade(answer, outcome, citations, changes)` of a grade.py and return its
    grade.

    Raises `BenchmarkError` if it fails or does not return a grade.
    """
    host: Any = _NoHost()
    no_operations = ToolSchema(())
    isolation = working_layers(server).working  # the layers that this machine supports
    scratchpad: dict[str, Any] = {
        "answer": submission.message,
        "outcome": submission.outcome,
        "citations": list(submission.refs),
        "changes": dict(changes),
    }
    sandbox = Sandbox(
        no_operations, host, now=None, seed=0, isolation=isolation, server=server
    )
    with sandbox:
        sandbox.restore(scratchpad)
        result = sandbox.run(code + GRADE_CALL)
        graded: Any = sandbox.flat_scratchpad.get("graded")  # as plain data
    if result.ending is not Ending.FINISHED:
        msg = f"{GRADE_FILE}: {' '.join(result.error.split())}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    if isinstance(graded, list):
        graded = tuple(graded)
    try:
        return grade_of(graded, GRADE_FILE)
    except TypeError as error:
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, str(error)) from error


class Fault(Frozen):
    """A fault, and a quotation that shows it."""

    quote: str
    fault: str


class RubricVerdict(Frozen):
    """The reply of a rubric's model."""

    faults: list[Fault]
    score: float = Field(ge=0, le=1)


def rubric_grade(
    model: Model,
    rubric: str,
    instruction: str,
    submission: SubmittedAnswer,
    changes: Mapping[str, str | None],
) -> Grade:
    """Return a model's grade by a rubric.

    Raises `ModelError`, and `BenchmarkError` if no verdict is valid. A verdict is
    invalid if it is below 1 without a fault, or if a quotation does not occur in the
    quoted texts.
    """
    answer = f"{submission.outcome}\n{submission.message}"
    changed_files = _changes_text(changes)
    sections = [
        f"# The rubric\n\n{rubric}",
        f"# The task\n\n{instruction}",
        f"# The answer\n\n{answer}",
        f"# The changed files\n\n{changed_files}",
    ]
    # Blanks and capital letters are removed, because a quotation need not have the
    # same.
    quotable_text = bare_text(f"{rubric}\n{answer}\n{changed_files}")
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "rubric.md")},
        {"role": "user", "content": "\n\n".join(sections)},
    ]
    objection = ""
    for _ in range(MAX_VERDICTS):
        reply = model.complete(messages, schema=RubricVerdict.model_json_schema()).text
        verdict = _verdict_in(reply)
        objection = _objection_to(verdict, quotable_text)
        if verdict is not None and not objection:
            details = [
                f"{fault.fault}: {fault.quote!r:.200}" for fault in verdict.faults
            ]
            return Grade(verdict.score, tuple(details))
        messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "user", "content": objection})
    msg = f"the rubric's model gave no verdict that counts: {objection}"
    raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)


def _changes_text(changes: Mapping[str, str | None]) -> str:
    """Return the changed files in the form that a rubric's model sees."""
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


def _verdict_in(reply: str) -> RubricVerdict | None:
    """Return the verdict in a reply; None if it has another form."""
    json_text = reply[reply.find("{") : reply.rfind("}") + 1]
    try:
        return RubricVerdict.model_validate_json(json_text)
    except ValueError:
        return None


def _objection_to(verdict: RubricVerdict | None, quotable_text: str) -> str:
    """Return why a verdict is invalid, or why a reply has none; empty if it is
    valid."""
    if verdict is None:
        return "Reply with one JSON object with faults and score alone."
    for fault in verdict.faults:
        quote = bare_text(fault.quote)
        if not quote or quote not in quotable_text:
            reason = (
                f"{fault.quote!r:.200} stands neither in the answer nor in the rubric"
            )
            return f"Quote each fault word by word: {reason}."
    has_faults = bool(verdict.faults)
    is_below_1 = verdict.score < 1
    if has_faults != is_below_1:
        return "Quote each fault word by word: a score is below 1 if there is a fault."
    return ""
