"""What a submission had besides its answer and its outcome.

A *submission* is an answer that a solver hands in, with its citations:

    submit(answer="7 EUR", outcome="OUTCOME_OK", refs_why={"/docs/fees.md": "has the fee"})
        -> SubmittedParts(parts={"refs_why": {"/docs/fees.md": "has the fee"}})
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.events.record import Data, Record
from controlplane.agent.model import Count
from controlplane.gates.submission import SUBMITTED_KEYS, Submission


class SubmittedParts(Record):
    """What a solver without scripts has submitted besides its answer and the outcome.

    A script's submission needs no such record: running the script again makes it again.
    """

    parts: Data
    """The parts by name: `{"refs_why": {"/docs/fees.md": "has the fee"}}`. The citations are
    `refs_why` with reasons, or `refs` without. `facts`, `tokens` and `changes` may follow."""
    after_calls: Count = 0
    """Number of calls that the step made before."""

    @classmethod
    def of(cls, submission: Submission, after_calls: int) -> SubmittedParts:
        """Return the parts of a submission that have no field in `Judged`.

        `Judged` has the answer and the outcome as texts. If a solver has submitted something
        else, such as a number, it is kept here.
        """
        parts: dict[str, Any] = {}
        for name in SUBMITTED_KEYS:  # `answer`, `outcome`, `refs` and further ones
            value = getattr(submission, name)
            has_field = name in ("answer", "outcome") and isinstance(value, str)
            if value is not None and not has_field:
                parts[name] = value
        return cls(parts=parts, after_calls=after_calls)
