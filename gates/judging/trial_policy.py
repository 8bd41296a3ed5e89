"""Enforces the verdicts of one trial: which fault rejects, and which is only reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.verdicts import MOST_ASKING_TURNS, Verdict


@dataclass(frozen=True, slots=True)
class TrialPolicy:
    """The policy of a run, in a trial that may have had objections before."""

    policy: GatePolicy
    earlier_objections: Mapping[str, Sequence[str]]
    """What each rule that has objected in this trial said each time, by the verdict's key.

    `{"6/wording": ["`unclear` asks nothing: …"]}`
    """

    def earlier_reasons(self, verdict: Verdict) -> Sequence[str]:
        """Return the texts with which a rule has objected so far."""
        return self.earlier_objections.get(verdict.key, ())

    def applied_to(self, verdict: Verdict) -> Verdict:
        """Return a verdict with the policy's enforcement: `block`, `ask` or `off`.

        A rule that asks is overridden if it has already objected in `MOST_ASKING_TURNS` turns.
        """
        enforcement = self.policy.enforcement(verdict)
        enforced = replace(verdict, enforcement=enforcement)
        earlier_turns = len(self.earlier_reasons(verdict))
        has_asked_enough = enforcement == "ask" and earlier_turns >= MOST_ASKING_TURNS
        if verdict.result == "reject" and has_asked_enough:
            return replace(enforced, result="overridden")
        return enforced


def rejects(verdict: Verdict) -> bool:
    """Return True if a verdict with its enforcement rejects the submission."""
    return verdict.result == "reject" and verdict.enforcement != "off"
