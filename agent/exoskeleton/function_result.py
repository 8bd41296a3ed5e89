"""What a function of the benchmark has returned, for the checks of the model's answer.

A function computes a value from files, and names the files that support it. For
`due_date(loan="l-7")`:

    {"value": "2031-05-02", "refs": [{"path": "/loans/l-7.json", "reason": "the loan"}]}
        -> FunctionResult("due_date", refs=[{...}], texts={"value": "2031-05-02"})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """The result of one call of a function."""

    function: str
    """Its name: `due_date`."""
    refs: Plain
    """The files that support the result, with reasons."""
    texts: dict[str, str]
    """The texts in its value by name. If the value is a text itself, its name is `value`."""

    @classmethod
    def of(cls, function: str, result: Mapping[str, Plain]) -> FunctionResult:
        """Return the result of a call of this function."""
        value = result.get("value")
        fields = value if isinstance(value, dict) else {"value": value}
        texts = {name: text for name, text in fields.items() if isinstance(text, str)}
        return cls(function, result.get("refs", []), texts)
