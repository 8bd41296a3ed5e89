"""How the gates and the rule sets of a run are enforced.

A rule that finds a fault in an answer stops it until the fault is corrected (`block`), stops
it at most twice (`ask`: the model may insist), or does nothing (`off`). Each rule declares
its own enforcement, and the user may change it, for example to `off` for all rules of gate 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.agent.submission.judging import find_verdicts
from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.conclusion import conclude
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Enforcement, Judgement
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema

CITATION_GATES: Final = ("3", "4", "5")
"""The gates that judge the cited paths, whether they were read, and the reasons."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How the gates and the rule sets of a run are enforced.

    A gate is a group of rules that each answer must pass. A rule set has further rules, for one
    kind of environment. A fault that a rule finds stops the answer until it is corrected
    (`block`), or at most twice (`ask`), or not at all (`off`).
    """

    policy: GatePolicy = field(default_factory=GatePolicy)
    """What the user has changed in the enforcement of rules, such as `off` for gate 6."""
    rule_sets: tuple[str, ...] = ()
    """The names of the rule sets by which answers are judged, too: `support`."""
    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """What happens to a call such as `send_money(recipient="GB33...")` if the trial knows
    the account only from a mail, whose author may want to trick the model."""
    user_texts: tuple[str, ...] = ()
    """Texts of the user that the model of every trial reads beside its request, such as hints.
    Calls may use values from them, like those from the request."""
    has_reader: bool = False
    """True if a second model reads the first answer that the gates accept, and may object."""

    def without_citations(self) -> GateSettings:
        """Return the settings for environments whose answers cite nothing."""
        overrides: dict[str, Enforcement] = dict(self.policy.overrides)
        for gate in CITATION_GATES:
            overrides[gate] = "off"
        return replace(self, policy=GatePolicy(overrides))

    def has_pre_call_check(self, tool_schema: ToolSchema) -> bool:
        """Return True if a rule of the environment checks calls before they are made, and is on.

        The tool schema names this rule, with its rule set in front: `support/before`.
        """
        rule_name = tool_schema.pre_call_check  # empty if there is no such rule
        rule_set = rule_name.partition("/")[0]
        if not rule_set or rule_set not in self.rule_sets:
            return False
        # The enforcement of such a rule is `ask`, unless the user has changed it.
        enforcement = self.policy.enforcement_of(rule_name, declared="ask")
        return enforcement != "off"

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        earlier_objections: Mapping[str, Sequence[str]],
    ) -> Judgement:
        """Judge an answer: return whether it is accepted, or why a gate or rule rejects it.

        Args:
            worker: A process in which the rules of users judge; None for this process.
            submission: The answer, with its citations.
            evidence: What the trial has read and done.
            case: The request and the rules of the workspace.
            earlier_objections: What rules have objected in earlier steps, because a rule with
                the enforcement `ask` objects at most twice: `{"support/counted": ["..."]}`.
        """
        verdicts = find_verdicts(worker, submission, evidence, case, self.rule_sets)
        return conclude(submission, verdicts, self.policy, earlier_objections)
