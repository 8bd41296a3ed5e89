"""The parts of a submission that a replay needs in order to hand the same answer in again.

A *submission* is an answer with the files that support it. If a script of the model submits it, a
replay runs the script again, and needs no more. Other solvers call `submit` themselves:

    submit(answer="7 EUR", outcome="OUTCOME_OK", refs_why={"/docs/fees.md": "has the fee"})

`Judged`, the record of the submission, has the two texts and the path, but not the reason. So
`SubmittedParts(parts={"refs_why": {"/docs/fees.md": "has the fee"}})` is recorded beside them.
"""

from __future__ import annotations

from controlplane.agent.events.record import Data, Record
from controlplane.agent.model import Count


class SubmittedParts(Record):
    """The parts of a submission that have no field in `Judged`, and when it was made."""

    parts: Data
    """The parts by name: `{"refs_why": {"/docs/fees.md": "has the fee"}}`. The citations are
    `refs_why` with reasons, or `refs` without. `facts`, `tokens` and `changes` may follow. So may
    `answer` and `outcome`, if they are not texts but, for example, numbers."""
    after_calls: Count = 0
    """Number of calls that the step made before. A replay makes as many before it submits."""
