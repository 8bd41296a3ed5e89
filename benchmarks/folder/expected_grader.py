"""Grades a trial by the expected end that its task.toml describes.

It may have the key `states = "12 chairs"`, a right answer. `There are twelve (12) of them.` is
right, too: an answer has to state the values of the right one, not its words.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.folder.task_folder import FolderTask
from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.support.stated_values import values_reported
from controlplane.gates.text_folding import tokens_of
from controlplane.gates.text_index import TextIndex
from controlplane.local_benchmark.expected_end import faults_of
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import LocalEnvironment
from controlplane.sandbox.files import compiled_pattern

YES_AND_NO: Final = frozenset({"yes", "no", "ja", "nein", "oui", "non", "si"})
MAX_REQUIRED_WORDS: Final = 3
"""If the right answer has more special words, such as names, none is required.

It is then a sentence, which may be said in other words.
"""


def expected_grade(task: FolderTask, environment: LocalEnvironment) -> Grade:
    """Return the grade by the expected end, which the task must have: 1 without faults, else 0."""
    expected = task.file.expected
    assert expected is not None
    assert task.expectation is not None
    # What benchmarks have in common: the outcome, citations, changes and parts of the answer.
    faults = list(faults_of(task.expectation, environment))

    # The keys `pattern` and `states`, which only a task.toml has.
    submission = environment.submission
    if submission is not None:
        message = submission.message.strip()
        pattern = expected.pattern
        if pattern and not compiled_pattern(pattern).fullmatch(message):
            faults.append(f"answer should fit the pattern {pattern!r}")
        missing = values_lacking(message, expected.states, task.file.instruction)
        if missing:
            faults.append(f"answer should state {', '.join(missing)}")
    return Grade(0.0 if faults else 1.0, tuple(faults))


def values_lacking(message: str, right_answer: str, question: str) -> list[str]:
    """Return the values or words of the right answer that a message lacks.

    - `12 chairs`: the message must state 12, unless the question states it, too.
    - `Ada`, an answer without such values: the message must have its special words.
    - `Yes, it is`, without special words: the message must begin with yes.
    """
    values = values_reported(right_answer)  # Numbers, dates and the like.
    # These find a value in any format: `1,250` in a question with `1250.00`.
    in_question = values_reported(right_answer, question)
    in_message = values_reported(right_answer, message)
    required = [value for value in values if value not in in_question]
    if required:
        return [value for value in required if value not in in_message]
    missing_words = _special_words_lacking(message, right_answer, question)
    return missing_words or _yes_or_no_lacking(message, right_answer)


def _yes_or_no_lacking(message: str, right_answer: str) -> list[str]:
    """Return `["yes"]` if the right answer begins with yes and the message does not; so for no."""
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
    question_words = TextIndex(question)
    special_words = []
    for word in dict.fromkeys(tokens_of(right_answer)):
        if not is_boilerplate(word) and not question_words.holds(word):
            special_words.append(word)
    if len(special_words) > MAX_REQUIRED_WORDS:
        return []
    message_words = TextIndex(message)
    return [word for word in special_words if not message_words.holds(word)]
