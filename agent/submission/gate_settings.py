"""How a run judges the answers and the calls of its trials.

Answers are judged by *gates*, rules for all environments, and by *rule sets*, which are made for
one kind of environment. If a rule finds a fault in an answer:

| its enforcement | the answer |
|---|---|
| `block` | is stopped until the fault is corrected |
| `ask` | is stopped at most twice: the rule may be wrong, so the model may insist |
| `off` | is not stopped |
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
    """How a run judges answers and calls, as its user has chosen.

    With `--gates 6=off --rule-sets support`:

        GateSettings(GatePolicy({"6": "off"}), rule_sets=("support",))
    """

    # Answers

    policy: GatePolicy = field(default_factory=GatePolicy)
    """The rules whose enforcement the user has changed. Others have the one that they declare."""
    rule_sets: tuple[str, ...] = ()
    """The names of the rule sets that judge, beside the gates."""

    # Calls that change something

    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """What happens to a call such as `send_money(recipient="GB33...")` if the trial knows
    the account only from a mail, whose author may want to trick the model."""
    user_texts: tuple[str, ...] = ()
    """Texts of the user that the model of every trial reads beside its request, such as hints.
    Calls may use values from them, like those from the request."""

    def without_citations(self) -> GateSettings:
        """Return the settings for an environment whose answers cite nothing.

        The gates about citations are `off`.
        """
        overrides: dict[str, Enforcement] = dict(self.policy.overrides)
        for gate in CITATION_GATES:
            overrides[gate] = "off"
        return replace(self, policy=GatePolicy(overrides))

    def has_pre_call_check(self, tool_schema: ToolSchema) -> bool:
        """Return True if a rule judges each changing call before it is made.

        The environment declares this rule, as one of a rule set: `support/before`.

        | `rule_sets` | `policy.overrides` | result |
        |---|---|---|
        | `("support",)` | | True |
        | `("support",)` | `{"support/before": "off"}` | False |
        | `()` | | False |
        """
        rule_name = tool_schema.pre_call_check  # empty if there is no such rule
        rule_set = rule_name.partition("/")[0]
        if not rule_set or rule_set not in self.rule_sets:
            return False
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
        """Judge an answer: return whether it is accepted, and what each rule says about it.

        Args:
            worker: A process in which the rules of users judge; None for this process.
            submission: The answer, with its citations.
            evidence: What the trial has read and done.
            case: The request and the rules of the workspace.
            earlier_objections: What each rule has objected in earlier steps, because one with
                the enforcement `ask` objects at most twice: `{"support/counted": ["..."]}`.
        """
        verdicts = find_verdicts(worker, submission, evidence, case, self.rule_sets)
        return conclude(submission, verdicts, self.policy, earlier_objections)
