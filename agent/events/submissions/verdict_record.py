"""The verdict of one gate, or of one rule, on an answer.

A gate is one of eight checks of every answer. The user may choose further rules. They judge
`The fee is 12 EUR`, citing `/docs/fees.md`:

| `gate` | `name` | `result` | `reason` |
|---|---|---|---|
| 3 | `canonical citations` | `pass` | |
| 4 | `citations were read` | `reject` | no call has read /docs/fees.md |
| 0 | `desk/late-reply`, a rule | `pass` | |
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.events.record import Record, Text
from controlplane.gates.verdicts import key_of


class VerdictRecord(Record):
    """The verdict of one gate, or of one rule, on a submission (an answer that was handed in)."""

    gate: int
    """1 to 8; 0 for a rule of a rule set."""
    name: str
    """The gate's name, the name of a further rule
    of the gate, such as `wording`, or `RULE_SET/RULE`."""
    result: str
    """`pass`, `reject`, `overridden` (the rule objects once more,
    but no longer stops the answer), `not_applicable` or `skipped`."""
    reason: Text
    """The reason, or the text of an objection."""
    enforcement: Literal["block", "ask", "off"] = "block"
    """What a rejection does. `block`: it stops the answer. `ask`: it stops the answer at first,
    but the model may insist by submitting it again. `off`: it is only recorded."""

    @property
    def key(self) -> str:
        """The key under which it is counted: `6`, `6/wording`, or `RULE_SET/RULE`."""
        return key_of(self.gate, self.name)

    @property
    def may_be_overridden(self) -> bool:
        """True if it rejects, but the model may insist by submitting the same answer again."""
        return self.result == "reject" and self.enforcement == "ask"
