"""Grades a trial against its expected end: outcome, message, references and changed files.

No model is involved. The faults use the words of the public platform.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.checks.literal_tokens import words_present
from controlplane.local_benchmark.change_faults import change_faults
from controlplane.local_benchmark.expectation import Expectation
from controlplane.local_benchmark.local_environment import (
    LocalEnvironment,
    SubmittedAnswer,
)
from controlplane.local_benchmark.reference_faults import reference_faults

NO_ANSWER: Final = "no answer provided"


def faults_of(expected: Expectation, end: LocalEnvironment) -> tuple[str, ...]:
    """Return one line for each fault of a trial that has ended; an empty tuple without faults."""
    answer = end.submission
    if answer is None:
        return (NO_ANSWER,)
    faults = []
    if answer.outcome != expected.outcome:
        faults.append(f"expected outcome {expected.outcome}, got {answer.outcome}")
    faults += reference_faults(expected, answer, end)
    faults += _message_faults(expected, answer)
    faults += change_faults(expected, end)
    return tuple(faults)


def _message_faults(expected: Expectation, answer: SubmittedAnswer) -> list[str]:
    """Return the faults of the answer's text: not the expected one, or with wrong strings in it."""
    message = answer.message.strip()
    if expected.message is not None:
        if message == expected.message:
            return []
        return [f'Answer should be "{expected.message}"']

    faults = []
    for token in expected.tokens:
        if not holds_token(message, token):
            faults.append(f"Answer should contain {token!r}")
    for token in expected.forbidden:
        if holds_token(message, token):
            faults.append(f"answer gives {token!r} away")
    if not message:
        faults.append("answer is empty")
    return faults


def holds_token(message: str, token: str) -> bool:
    """Return True if the message contains `token` with no letter or digit next to it."""
    return bool(token and words_present([token], message))
