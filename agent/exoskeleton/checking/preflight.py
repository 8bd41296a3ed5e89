"""Runs the checks that may answer a request before the model is asked: the *preflight*.

A check is a function of the benchmark. It may, for example, refuse to renew a loan of another
user:

| value of the check | what happens |
|---|---|
| `{"outcome": "OUTCOME_DENIED", "message": "This loan is not yours."}` | it is the answer |
| `{"context": "The loan ends on 4 May."}` | the model is told this, and the next check runs |
| `{}` | the next check runs |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from controlplane.agent.exoskeleton.answer.answer_references import references_of
from controlplane.agent.exoskeleton.checking.check_answer import submit_check_answer
from controlplane.agent.exoskeleton.checking.check_call import check_result
from controlplane.agent.exoskeleton.checks import CheckValue
from controlplane.agent.loop.session.trial_session import TrialSession


@dataclass(frozen=True, slots=True)
class PreflightResult:
    """What the checks have led to."""

    texts: tuple[str, ...]
    """The texts of the checks for the model's first message."""
    answering_check: str | None = None
    """The check whose answer the gates (rules for answers) have accepted; None if there is none:
    the model is asked."""


def run_preflight(
    session: TrialSession, checks: Sequence[str], intent: Mapping[str, Any]
) -> PreflightResult:
    """Run the checks of these names in order, until one has an answer that the gates accept.

    `intent` is how a small model describes the request. A check whose value cannot be used is
    left out.
    """
    texts: list[str] = []
    for check in checks:
        result = check_result(session, check, intent)
        try:
            value = CheckValue.model_validate(result.get("value", {}))
        except ValidationError:
            continue
        if value.context:
            texts.append(value.context)
        if value.outcome and submit_check_answer(session, value, references_of(result)):
            return PreflightResult(tuple(texts), answering_check=check)
    return PreflightResult(tuple(texts))
