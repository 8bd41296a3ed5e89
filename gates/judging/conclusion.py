"""Concludes from the verdicts of all rules if a submission is accepted.

`judge` does it in two steps:

1. `find_objections` asks each rule, and returns a `Verdict` for each: pass, reject or not
   applicable. A gate is one or several rules that are always asked.
2. `conclude` applies the run's policy, by which a rule blocks, asks or is off, and returns one
   `Judgement`. If no rule rejects, it first calls the script's own `verify` (gate 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from controlplane.gates.checks.verify_gates import judge_verify_reply
from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.gate_rules import VERIFY_RULE
from controlplane.gates.judging.objections import find_objections
from controlplane.gates.judging.rejection_messages import message_of
from controlplane.gates.quoting import Plain, describe
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import (
    ALL_GATES,
    MOST_ASKING_TURNS,
    RULE_SET_GATE,
    VERIFY_GATE,
    Judgement,
    Verdict,
)

# Decides which objections reject an answer in one trial, and which are only recorded.
#
# A run may switch rules off (`--gates 6/wording=off`), and a rule that only asks gives way when
# it has objected in `MOST_ASKING_TURNS` turns.


@dataclass(frozen=True, slots=True)
class _TrialPolicy:
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


_VERIFY_SKIPPED: Final = Verdict(
    VERIFY_GATE,
    VERIFY_RULE.name,
    "skipped",
    "runs only if everything else passes",
)
"""The verdict of gate 7 if another gate rejects."""


def judge(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    *,
    policy: GatePolicy | None = None,
    rule_sets: Sequence[RuleSet] = (),
    earlier_objections: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Judge a submission by every gate and by the rules of rule sets.

    Without a `policy`, each rule is enforced as it declares. `earlier_objections` is what the
    rules said of earlier submissions of the trial; see `conclude`.
    """
    verdicts = find_objections(submission, evidence, case, rule_sets)
    return conclude(submission, verdicts, policy, earlier_objections)


def conclude(
    submission: Submission,
    verdicts: Sequence[Verdict],
    policy: GatePolicy | None = None,
    earlier_objections: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Return the judgement that follows from the verdicts of all rules under a policy.

    The verdicts are those of `find_objections`, so that of gate 7 is still missing.

    `earlier_objections` has, by the key of each rule that has objected in this trial before,
    what it said each time: `{"6/wording": ["`unclear` asks nothing: …"]}`. After
    `MOST_ASKING_TURNS` times, a rule that only asks is overridden.
    """
    trial_policy = _TrialPolicy(policy or GatePolicy(), earlier_objections or {})

    # 1. Apply the policy.
    enforced = [trial_policy.applied_to(verdict) for verdict in verdicts]

    # 2. Call the script's own `verify` (gate 7), unless another gate rejects already.
    if any(rejects(verdict) for verdict in enforced):
        verdict_of_verify = _VERIFY_SKIPPED
    else:
        opinion = judge_verify_reply(submission)
        # What is cited and demanded matters only to an opinion about citations, unlike this one.
        verdict_of_verify = VERIFY_RULE.verdict(
            opinion, cited=frozenset(), demanded=frozenset()
        )
    enforced.append(trial_policy.applied_to(verdict_of_verify))

    # 3. Tell the script everything that it has to fix, in the order of the gates.
    enforced.sort(key=_place_in_order)
    messages: list[str] = []
    for verdict in enforced:
        if rejects(verdict):
            messages.append(message_of(verdict, trial_policy.earlier_reasons(verdict)))
    return Judgement(
        accepted=not messages,
        message="\n".join(messages),
        verdicts=tuple(enforced),
        answer=_sendable(submission.answer),
        outcome=_sendable(submission.outcome),
        refs=tuple(_sendable(path) for path in submission.citations),
    )


def _place_in_order(verdict: Verdict) -> int:
    """Return the gate's number; the rules of rule sets follow the gates."""
    if verdict.gate == RULE_SET_GATE:
        return len(ALL_GATES) + 1
    return verdict.gate


def _sendable(value: Plain) -> str:
    """Return a text, or the description of another value, that UTF-8 can encode."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else describe(value)
    return text.encode("utf-8", "replace").decode("utf-8")
