"""Enforces the verdicts of one trial: which fault rejects, and which is only reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.verdicts import MOST_ASKING_TURNS, Verdict


@dataclass(frozen=True, slots=True)
class TrialPolicy:
    """Decides what happens after each verdict in one trial.

    The policy of the run says for each rule if its objections block an answer, only ask, or do
    nothing. A rule that asks is heard in `MOST_ASKING_TURNS` turns of the trial. After that, the
    model gets its way, and the verdict is `overridden`.
    """

    policy: GatePolicy
    earlier_objections: Mapping[str, Sequence[str]]
    """What each rule has objected to so far, by the key of its verdict: one text for each turn.

    `{"6/arithmetic": ["12 + 4 is not 21.", "12 + 4 is not 17."]}`: gate 6, in two turns.
    """

    def earlier_reasons(self, verdict: Verdict) -> Sequence[str]:
        """Return the texts with which a rule has objected so far, one for each turn."""
        return self.earlier_objections.get(verdict.key, ())

    def applied_to(self, verdict: Verdict) -> Verdict:
        """Return a verdict with the policy's enforcement: `block`, `ask` or `off`.

        An objection that only asks becomes `overridden`, and no longer rejects the answer, if its
        rule has already objected in `MOST_ASKING_TURNS` turns.
        """
        enforcement = self.policy.enforcement(verdict)
        enforced = replace(verdict, enforcement=enforcement)
        earlier_turns = len(self.earlier_reasons(verdict))  # one text for each turn
        has_asked_enough = enforcement == "ask" and earlier_turns >= MOST_ASKING_TURNS
        if verdict.result == "reject" and has_asked_enough:
            return replace(enforced, result="overridden")
        return enforced


def rejects(verdict: Verdict) -> bool:
    """Return True if a verdict with its enforcement rejects the submission."""
    return verdict.result == "reject" and verdict.enforcement != "off"
