"""What a check of a request may do before a model is asked.

- It leaves the request to the model (`LEFT_TO_MODEL`), as most checks do with most requests.
- It answers the request (`answered`): "Which one do you mean: basket-1 or basket-2?"
- It adds a text to the model's first message (`told_to_model`): "(Found out beforehand: the
  only open basket of cust-7 is basket-1.)"
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from controlplane.sandbox.functions import FunctionResult, Reference

CheckResult: TypeAlias = FunctionResult[dict[str, Any]]
"""The result of a check. It leaves the request to the model, answers it, or tells the model something."""
LEFT_TO_MODEL: Final[CheckResult] = FunctionResult({})
"""The model works on the request as if there were no check."""


def answered(
    outcome: str, message: str, reason: str, references: Iterable[Reference] = ()
) -> CheckResult:
    """Return the result of a check that answers the request. The model is not asked.

    `reason` names the check's subject in reports: `several baskets`. The answer cites the
    files of `references`.
    """
    value = {"outcome": outcome, "message": message, "reason": reason}
    return FunctionResult(value, tuple(references))


def told_to_model(text: str, references: Iterable[Reference]) -> CheckResult:
    """Return the result of a check that adds a text to the model's first message.

    The files of `references` are where the text comes from.
    """
    return FunctionResult({"context": text}, tuple(references))
