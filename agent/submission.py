"""Judges a submission by the gates and by rule sets.

The eight gates judge every submission, for example whether the cited files were read.
Rule sets add rules for a kind of environment: the product's own, and those of users.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.evidence.origins.provenance_policy import ProvenancePolicy
from controlplane.gates.evidence import Evidence
from controlplane.gates.rule_set_loading import (
    DECLARING_MODULE,
    is_product_rule_set,
    load_rule_set,
    module_of_rule_set,
)
from controlplane.gates.rules import HOW_TO_INSIST, conclude, find_objections
from controlplane.gates.submission import (
    RULE_FAILED,
    RULE_SET_GATE,
    Case,
    Enforcement,
    GatePolicy,
    Judgement,
    Submission,
    Verdict,
)
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError, ToolSchema, bounds

MAX_CITATIONS: Final = 1_000
"""A submission that cites more paths is not judged. Honest answers cite a few dozen at most."""
CITATION_GATES: Final = ("3", "4", "5")
"""The gates that judge the cited paths, whether they were read, and the reasons."""


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that the worker (a process of a trial) imports to judge by rule sets.

    It is empty for the product's own rule sets, because they need no worker.
    """
    if all(is_product_rule_set(name) for name in rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,  # It declares where the product's own rule sets are.
        *(module_of_rule_set(name) for name in rule_sets),
    )


def judge_here_or_in_worker(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[str, ...],
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and rules, except gate 7.

    Gate 7 calls the script's own check of its answer, which is done last (see `conclude`).
    Gates and the product's rule sets are fast, so they judge in this process. Rule sets of
    the user may take forever. With them, everything is judged in the worker, a process of
    the trial that can be stopped.
    """
    excess = reason_of_excess(submission)
    if excess:
        return (Verdict(RULE_SET_GATE, "judging", result="reject", reason=excess),)
    needs_worker = not all(is_product_rule_set(name) for name in rule_sets)
    if worker is None or not needs_worker:
        return judge_here(submission, evidence, case, rule_sets)

    # Few runs need this, so it is imported only now.
    from controlplane.gates.worker_judging import objections_of_worker

    try:
        return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
    except (CallError, ValueError) as error:
        # A rule took too long, or ended the process.
        worker.close()  # The next call starts a fresh one.
        failure = f"{RULE_FAILED}{error}"
        return judge_without_user_rules(submission, evidence, case, rule_sets, failure)


def reason_of_excess(submission: Submission) -> str:
    """Return why a submission has too much to be judged; empty if it may be judged."""
    count = len(submission.citations)
    if count > MAX_CITATIONS:
        return (
            f"The submission cites {count} paths; at most {MAX_CITATIONS} are judged."
        )
    longest = max((len(path) for path in submission.citations), default=0)
    if longest > bounds.MOST_PATH_CHARS:
        return (
            f"The submission cites a path of {longest} characters; "
            f"at most {bounds.MOST_PATH_CHARS} are judged."
        )
    return ""


def judge_here(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: Sequence[str]
) -> tuple[Verdict, ...]:
    """Return the verdicts of the gates and these rule sets, judged in this process."""
    loaded = tuple(load_rule_set(name) for name in rule_sets)
    return find_objections(submission, evidence, case, loaded)


def judge_without_user_rules(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[str],
    reason: str,
) -> tuple[Verdict, ...]:
    """Return the verdicts if the user's rule sets failed.

    The answer is not to blame, so each failed rule set gets the verdict `not_applicable`
    with the reason.
    """
    product_rule_sets = [name for name in rule_sets if is_product_rule_set(name)]
    verdicts = list(judge_here(submission, evidence, case, product_rule_sets))
    for name in rule_sets:
        if name not in product_rule_sets:
            verdicts.append(
                Verdict(
                    RULE_SET_GATE,
                    name,
                    result="not_applicable",
                    reason=reason,
                    enforcement="ask",
                )
            )
    return tuple(verdicts)


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
