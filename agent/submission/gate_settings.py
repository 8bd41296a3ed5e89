"""How a run judges the answers of its trials, as the user has chosen.

Answers are judged by *gates*, rules for all environments, and by *rule sets*, which are made for
one kind of environment. A rule that finds a fault in an answer stops it (`block`), or stops it
at most twice, so that the model may insist (`ask`), or is only recorded (`off`). Example:

    --gates 6=off --rule-sets support
        -> GateSettings(GatePolicy({"6": "off"}), rule_sets=("support",))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.submission.judging import find_verdicts
from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.conclusion import conclude
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema

CITATION_GATES: Final = ("3", "4", "5")
"""The gates that judge the cited paths, whether they were read, and the reasons."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Which rules judge the answers of a run, and how strictly."""

    policy: GatePolicy = field(default_factory=GatePolicy)
    """Which rules block, ask or are off. The user may change what a rule declares."""
    rule_sets: tuple[str, ...] = ()
    """The names of the rule sets that judge, beside the gates."""

    def applied_to(self, tool_schema: ToolSchema) -> GateSettings:
        """Return the settings for an environment. No gate asks for citations if answers have none."""
        if tool_schema.is_cited:
            return self
        overrides = dict(self.policy.overrides)
        for gate in CITATION_GATES:
            overrides[gate] = "off"
        return replace(self, policy=GatePolicy(overrides))

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        earlier_objections: Mapping[str, Sequence[str]],
    ) -> Judgement:
        """Return whether an answer with its citations is accepted, and what each rule says.

        A rule of a user judges in the `worker`, a process that can be stopped; None is for this
        process. `earlier_objections` has what rules said in earlier steps, because a rule that
        asks stops an answer at most twice: `{"support/counted": ["It has 4, ..."]}`.
        """
        verdicts = find_verdicts(worker, submission, evidence, case, self.rule_sets)
        return conclude(submission, verdicts, self.policy, earlier_objections)
