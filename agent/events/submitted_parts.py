"""What a solver without scripts has submitted, as far as the record of its answer has no field.

A *submission* is an answer that is handed in with its citations. A replay submits it again. If a
script submitted it, the replay runs the script again. Otherwise it needs all parts:

    submit(answer="7 EUR", outcome="OUTCOME_OK", refs_why={"/docs/fees.md": "has the fee"})
        -> Judged(answer="7 EUR", outcome="OUTCOME_OK", refs=("/docs/fees.md",), ...)
           SubmittedParts(parts={"refs_why": {"/docs/fees.md": "has the fee"}})
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.events.record import Data, Record
from controlplane.agent.model import Count
from controlplane.gates.submission import SUBMITTED_KEYS, Submission


class SubmittedParts(Record):
    """The parts of a submission that have no field in `Judged`, and when it was made."""

    parts: Data
    """The parts by name: `{"refs_why": {"/docs/fees.md": "has the fee"}}`. The citations are
    `refs_why` with reasons, or `refs` without. `facts`, `tokens` and `changes` may follow. So may
    `answer` and `outcome`, if they are not texts but, for example, numbers."""
    after_calls: Count = 0
    """Number of calls that the step made before. A replay makes as many before it submits."""

    @classmethod
    def of(cls, submission: Submission, after_calls: int) -> SubmittedParts:
        """Return the parts of a submission, except an answer and an outcome that are texts."""
        parts: dict[str, Any] = {}
        for name in SUBMITTED_KEYS:  # `answer`, `outcome`, `refs` and further ones
            value = getattr(submission, name)
            has_field = name in ("answer", "outcome") and isinstance(value, str)
            if value is not None and not has_field:
                parts[name] = value
        return cls(parts=parts, after_calls=after_calls)
