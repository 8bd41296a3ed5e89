"""Decides which objections reject an answer in one trial, and which are only recorded.

A run may switch rules off (`--gates 6/wording=off`), and a rule that only asks gives way when
it has objected in `MOST_ASKING_TURNS` turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.verdicts import MOST_ASKING_TURNS, Verdict


@dataclass(frozen=True, slots=True)
class TrialPolicy:
    """Decides what the verdicts on the answers of one trial do.

    | the rule's enforcement | what its objection does                              |
    | ---------------------- | ---------------------------------------------------- |
    | `block`                | rejects the answer every time                        |
    | `ask`                  | rejects answers in `MOST_ASKING_TURNS` turns at most |
    | `off`                  | is only recorded                                     |

    After these turns, the model gets its way: the objection is recorded as `overridden`.
    """

    policy: GatePolicy
    """The run's settings for rules; for other rules, what they declare holds."""
    earlier_objections: Mapping[str, Sequence[str]]
    """What each rule has objected to so far, by the key of its verdict: one text for each turn.

    `{"6/arithmetic": ["12 + 4 is not 21.", "12 + 4 is not 17."]}`: gate 6, in two turns.
    """

    def earlier_reasons(self, verdict: Verdict) -> Sequence[str]:
        """Return the texts with which a rule has objected so far, one for each turn."""
        return self.earlier_objections.get(verdict.key, ())

    def applied_to(self, verdict: Verdict) -> Verdict:
        """Return a verdict as it counts in this trial, with the enforcement of the policy.

        The result of an objection is `overridden` if its rule only asks, and has asked often enough.
        """
        enforcement = self.policy.enforcement(verdict)
        enforced = replace(verdict, enforcement=enforcement)
        if verdict.result != "reject" or enforcement != "ask":
            return enforced
        earlier_turns = len(self.earlier_reasons(verdict))  # one text for each turn
        if earlier_turns >= MOST_ASKING_TURNS:
            return replace(enforced, result="overridden")
        return enforced


def rejects(verdict: Verdict) -> bool:
    """Return True if a verdict, as `applied_to` returns it, rejects the submission."""
    return verdict.result == "reject" and verdict.enforcement != "off"
