"""The grader: compares an answer, and the state that the trial left, with the truth. No model is involved."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.runtime.shop_surface import RULES_DOCUMENT
from benchmarks.ecom.tasks.task import Truth
from benchmarks.local.end_state_grader import Expectation, Grade, faults_of

FREE: Final = ("/docs/", "/bin/", RULES_DOCUMENT)
"""Needless references below these paths cost nothing."""


def grade(truth: Truth, environment: EcomEnvironment) -> Grade:
    """Return the grade of a trial that has ended: 0 with any fault, all of which are told.

    Without one it is 1, or what the truth's own measure gives, which also tells how.
    """
    faults = faults_of(expectation_of(truth), environment)
    given = environment.submission
    if truth.measure is None or given is None:
        return Grade(0.0 if faults else 1.0, faults)
    score, lines = truth.measure.measure(given.message, given.refs)
    return Grade(0.0 if faults else round(score, 4), (*faults, *lines))


def expectation_of(truth: Truth) -> Expectation:
    """Return how a trial with this truth must end."""
    return Expectation(
        outcome=truth.outcome,
        message=truth.message if truth.is_exact else None,
        tokens=truth.tokens,
        forbidden=truth.forbidden,
        references=frozenset({*truth.records, *truth.documents}),
        tolerated=truth.tolerated,
        free=FREE,
        changes=truth.changes,
    )
