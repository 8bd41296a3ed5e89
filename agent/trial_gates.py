"""The gates as a trial asks them: their settings, the rule sets they load, and their verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import all_verdicts, conclude
from controlplane.gates.rule_set_loading import (
    DECLARING_MODULE,
    RuleSetName,
    is_product_rule_set,
    load_rule_set,
    module_of_rule_set,
)
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import (
    RULE_FAILED,
    RULE_SET_GATE,
    STOPPING,
    GatePolicy,
    Judgement,
    Verdict,
)
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError, ToolSchema, bounds

# How a run judges the answers of its trials, as the user has chosen.
#
# Answers are judged by *gates*, rules for all environments, and by *rule sets*, which are made for
# one kind of environment. A rule that finds a fault in an answer stops it (`block`), or stops it
# at most twice, so that the model may insist (`ask`), or is only recorded (`off`). Example:
#
#     --gates 6=off --rule-sets support
#         -> GateSettings(GatePolicy({"6": "off"}), rule_sets=("support",))

# Rule sets that users write, and what a process must import before it judges by them.
#
# A rule of a user may take forever, so it runs in the *worker*, a process of the trial that can be
# stopped. The worker is isolated once it has started: it can import nothing later. So it is told
# at its start what it will need:
#
#     judging_modules(("my_rules:STRICT",))  -> ("...worker_judging", "...rule_sets", "my_rules")
#     judging_modules(("ecom",))             -> ()   The product's own rule sets need no worker.


def _user_rule_sets(rule_sets: Sequence[RuleSetName]) -> list[RuleSetName]:
    """Return those of the user: `my_rules:STRICT`."""
    return [name for name in rule_sets if not is_product_rule_set(name)]


def judging_modules(rule_sets: tuple[RuleSetName, ...]) -> tuple[str, ...]:
    """Return the modules that the worker imports when it starts, to judge by these rule sets."""
    if not _user_rule_sets(rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,  # It says in which modules the product's own rule sets are.
        *(module_of_rule_set(name) for name in rule_sets),
    )


# Asks the gates and the rule sets about a submission (an answer with its citations).
#
# A gate is a group of rules for every submission, such as that each cited file was read. A rule
# set has rules for one kind of environment: the product has some, and users write others. Each
# rule gives a *verdict*. For an answer that cites `/a.md`, which was never read:
#
#     (Verdict(4, "citations were read", "reject", "`/a.md` was not read"), Verdict(6, ...), ...)
#
# Rules of a user run in a worker process that can be stopped. If the worker fails, for example
# because the rule set `my_rules:STRICT` takes too long, the others still judge:
#
#     gates        pass, pass, reject, ...
#     ecom         pass               a rule set of the product
#     my_rules     not applicable     "the rule failed: ... took too long"

_MAX_CITATIONS: Final = 1_000
"""A submission that cites more paths is not judged. Honest answers cite a few dozen at most."""


def find_verdicts(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[RuleSetName, ...],
) -> tuple[Verdict, ...]:
    """Return the verdict of each rule on a submission, except that of gate 7.

    Gate 7 calls a function of the script, `verify`. It is judged last, and only if no other
    rule rejects the submission (see `gates.judging`).
    """
    excess = _reason_of_excess(submission)
    if excess:
        # It does not belong to any gate, so it has the number of rule sets.
        return (Verdict(RULE_SET_GATE, "judging", result="reject", reason=excess),)

    failed_verdicts: list[Verdict] = []
    user_rule_sets = _user_rule_sets(rule_sets)
    if worker is not None and user_rule_sets:
        # A rule of the user may take forever, so all of them judge in the worker, a process that
        # can be stopped. Few runs need this import, so it is made only now.
        from controlplane.gates.worker_judging import verdicts_of_worker

        try:
            return verdicts_of_worker(
                worker.call, submission, evidence, case, rule_sets
            )
        except (CallError, ValueError) as error:
            # The rule took too long, or ended the worker's process, or the reply has no verdicts.
            worker.close()  # Its next call starts a new process.
            # The answer is not to blame for it.
            for name in user_rule_sets:
                failed = Verdict(
                    RULE_SET_GATE,
                    name,
                    result="not_applicable",
                    reason=f"{RULE_FAILED}{error}",
                    enforcement="ask",
                )
                failed_verdicts.append(failed)
            rule_sets = tuple(name for name in rule_sets if is_product_rule_set(name))

    loaded = tuple(load_rule_set(name) for name in rule_sets)
    return (*all_verdicts(submission, evidence, case, loaded), *failed_verdicts)


def _reason_of_excess(submission: Submission) -> str:
    """Return why a submission is too long to be judged; empty if it is not.

    Citations of 4,000 paths -> "The submission cites 4000 paths; at most 1000 are judged."
    """
    count = len(submission.citations)
    if count > _MAX_CITATIONS:
        return (
            f"The submission cites {count} paths; at most {_MAX_CITATIONS} are judged."
        )
    longest = max((len(path) for path in submission.citations), default=0)
    if longest > bounds.MOST_PATH_CHARS:
        return (
            f"The submission cites a path of {longest} characters; "
            f"at most {bounds.MOST_PATH_CHARS} are judged."
        )
    return ""


_CITATION_GATES: Final = ("3", "4", "5")
"""The gates that judge the cited paths, whether they were read, and the reasons."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Which rules judge the answers of a run, and how strictly."""

    policy: GatePolicy = field(default_factory=GatePolicy)
    """Which rules block, ask or are off. The user may change what a rule declares."""
    rule_sets: tuple[RuleSetName, ...] = ()
    """The names of the rule sets that judge, beside the gates."""

    def applied_to(self, tool_schema: ToolSchema) -> GateSettings:
        """Return the settings for an environment. No gate asks for citations if answers have none."""
        if tool_schema.is_cited:
            return self
        overrides = dict(self.policy.overrides)
        for gate in _CITATION_GATES:
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


# Whether a rule of the environment judges the calls of a trial before they are sent.
#
# An environment may declare such a rule for calls that change something: `support/before` is the
# rule `before` of the rule set `support`. The user decides whether it judges:
#
#     --rule-sets support                                it judges
#     --rule-sets support --gates support/before=off     it does not: it is switched off
#     --rule-sets none                                   it does not: its rule set is not used


def is_pre_call_rule_on(rule_name: str, gates: GateSettings) -> bool:
    """Return True if a rule, such as `support/before`, judges calls; False if there is none, ``."""
    if not rule_name:
        return False
    rule_set = rule_name.partition("/")[0]
    if rule_set not in gates.rule_sets:
        return False
    # Unless the user says otherwise, the rule asks: it stops a call, but the model may insist.
    enforcement = gates.policy.enforcement_of(rule_name, declared="ask")
    return enforcement in STOPPING
