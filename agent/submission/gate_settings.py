"""How the gates and the rule sets of a run are enforced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.submission.judging import judge_here_or_in_worker
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import conclude
from controlplane.gates.judging.rejection_messages import HOW_TO_INSIST
from controlplane.gates.submission import (
    Case,
    Enforcement,
    GatePolicy,
    Judgement,
    Submission,
    Verdict,
)
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema

CITATION_GATES: Final = ("3", "4", "5")
"""The gates that judge the cited paths, whether they were read, and the reasons."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The enforcement of gates and rules, and the rule sets in use."""

    policy: GatePolicy = field(default_factory=GatePolicy)
    """What the user changed in the enforcement, such as `off` for gate 6."""
    rule_sets: tuple[str, ...] = ()
    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """How to treat calls that change something with values from running text, not from data."""
    asked: tuple[str, ...] = ()
    """Further texts of the user, shown in every trial, such as hints. A call that changes
    something may use their values, like those of the request."""
    has_reader: bool = False
    """True if a second reader reads the first accepted answer."""

    def without_citations(self) -> GateSettings:
        """Return the settings for environments whose answers cite nothing."""
        overrides: dict[str, Enforcement] = dict(self.policy.overrides)
        for gate in CITATION_GATES:
            overrides[gate] = "off"
        return replace(self, policy=GatePolicy(overrides))

    def has_pre_call_check(self, tool_schema: ToolSchema) -> bool:
        """Return True if a rule of the environment checks calls before they are made, and is on."""
        rule = tool_schema.pre_call_check  # such as `support/before`
        rule_set = rule.partition("/")[0]
        if not rule_set or rule_set not in self.rule_sets:
            return False
        return self.policy.enforcement_of(rule, declared="ask") != "off"

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        earlier_objections: Mapping[str, Sequence[str]],
    ) -> Judgement:
        """Return the judgement of every gate and rule.

        A rule with the enforcement `ask` objects only a few times. So
        `earlier_objections` has what such rules said in earlier steps:
        `{"support/counted": ["The answer says 4, ..."]}`.
        """
        verdicts = judge_here_or_in_worker(
            worker, submission, evidence, case, self.rule_sets
        )
        return conclude(submission, verdicts, self.policy, earlier_objections)

    def add_review(self, judgement: Judgement, review: Verdict) -> Judgement:
        """Return an accepting judgement with the second reader's verdict.

        A verdict that rejects the answer makes it a rejecting judgement.
        """
        verdicts = (*judgement.verdicts, review)
        if review.result != "reject" or self.policy.enforcement(review) == "off":
            return replace(judgement, verdicts=verdicts)
        # The reader is asked once in a trial, so this is its only objection.
        message = f"[{review.name}; objection 1 of 1] {review.reason}\n{HOW_TO_INSIST}"
        return replace(judgement, accepted=False, message=message, verdicts=verdicts)
