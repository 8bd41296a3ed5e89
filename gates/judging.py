"""All gates in their order, what each is asked, and what follows for a submission.

`RULES` is the table: a gate is one or several rules, each with the function that it asks and what
its objection does. `judge` asks them all (`all_verdicts`), applies the run's policy, by which
a rule blocks, asks or is off, calls the script's own `verify` (gate 7) if no other rule rejects,
and words the message for the script (`conclude`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from controlplane.gates.checks.citations import (
    ask_demanded_citations,
    judge_accessed_citations,
    judge_canonical_citations,
)
from controlplane.gates.checks.facts_gate import judge_fact_shapes
from controlplane.gates.checks.justification import ask_justification
from controlplane.gates.checks.literal_tokens import judge_literal_tokens
from controlplane.gates.checks.outcomes import (
    ask_arithmetic,
    ask_internal_error,
    ask_unowned_change,
    ask_wording,
    judge_outcome_class,
)
from controlplane.gates.checks.verify_gates import (
    judge_verify_reply,
    judge_verify_signature,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Objection, Opinion
from controlplane.gates.quoting import Plain, describe
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import (
    ALL_GATES,
    GATE_NAMES,
    MOST_ASKING_TURNS,
    REVIEW,
    RULE_SET_GATE,
    STOPPING,
    VERIFY_GATE,
    GatePolicy,
    Judgement,
    Verdict,
    key_of,
)

RULES: Final = (
    Rule(GATE_NAMES[1], judge_verify_signature, "block", gate=1),
    Rule(GATE_NAMES[2], judge_fact_shapes, "block", gate=2),
    Rule(GATE_NAMES[3], judge_canonical_citations, "block", gate=3),
    Rule("demanded-citation", ask_demanded_citations, "ask", gate=3),
    Rule(GATE_NAMES[4], judge_accessed_citations, "block", gate=4),
    Rule(GATE_NAMES[5], ask_justification, "ask", gate=5),
    Rule(GATE_NAMES[6], judge_outcome_class, "block", gate=6),
    Rule("wording", ask_wording, "ask", gate=6),
    Rule("internal-error", ask_internal_error, "ask", gate=6),
    Rule("unowned-change", ask_unowned_change, "ask", gate=6),
    Rule("arithmetic", ask_arithmetic, "ask", gate=6),
    Rule(GATE_NAMES[8], judge_literal_tokens, "block", gate=8),
)
"""The rules of all gates but the seventh.

A rule that blocks judges only structure, which is the same in every language and domain.
A rule that reads sentences or calculates may be wrong, so it only asks.
"""


def _judge_verify(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Call `judge_verify_reply` with the parameters that every rule has."""
    return judge_verify_reply(submission)


VERIFY_RULE: Final = Rule(
    GATE_NAMES[VERIFY_GATE], _judge_verify, "block", gate=VERIFY_GATE
)
"""The rule of gate 7. It is not in `RULES`, because `conclude` asks it after all others."""


def rule_keys(rule_sets: Sequence[RuleSet] = ()) -> frozenset[str]:
    """Return the keys of gates and rules under which `GatePolicy` can set an enforcement.

    Gate 3 has the key `3`, a rule of it `3/demanded-citation`, a rule set `desk`, and a
    rule of that set `desk/late-reply`.
    """
    keys = {REVIEW}  # the rule of a second model, which belongs to no gate
    for rule in (*RULES, VERIFY_RULE):
        keys.add(key_of(rule.gate, rule.name))
    for rule_set in rule_sets:
        keys.add(rule_set.name)
        for rule in rule_set.rules:
            keys.add(f"{rule_set.name}/{rule.name}")
    return frozenset(keys)


HOW_TO_INSIST: Final = (
    "If the answer is right, submit it again: it passes, and is reported as accepted over the "
    "objection."
)


def _message_of(verdict: Verdict, earlier_reasons: Sequence[str]) -> str:
    """Return the message about a rejection, for the script.

    A rule that asks may have objected in earlier turns, for the `earlier_reasons`. New lines
    come first. Those that the script has seen before are shown whole, because a message is
    often all that is left of a turn. In the last turn, the message adds that the answer may be
    submitted again.
    """
    name = verdict.name
    if verdict.gate != RULE_SET_GATE:
        name = f"gate {verdict.gate}: {verdict.name}"
    if verdict.enforcement == "block":
        return f"[{name}] {verdict.reason}"

    earlier_lines = "\n".join(earlier_reasons).splitlines()
    new_lines: list[str] = []
    standing_lines: list[str] = []
    for line in verdict.reason.splitlines():
        if line in earlier_lines:
            standing_lines.append(f"This still stands: {line}")
        else:
            new_lines.append(line)

    turn = len(earlier_reasons) + 1
    lines = new_lines + standing_lines
    is_last_turn = turn == MOST_ASKING_TURNS
    if is_last_turn:
        lines.append(HOW_TO_INSIST)
    return f"[{name}; objection {turn} of {MOST_ASKING_TURNS}] " + "\n".join(lines)


def all_verdicts(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[RuleSet] = (),
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and rule sets, also those that pass.

    Gate 7, which calls the script's `verify`, is left out: it runs later.

    All opinions are collected before the first verdict, because a citation that one rule demands
    cannot be forbidden by another. For example, a rule demands `/docs/a.md`, which the request
    says to read. Then a rule against citations of other documents does not reject it.
    """
    # 1. Ask every rule, and collect the citations that any of them demands.
    # Each rule with the name of its rule set and its opinion
    asked_rules: list[tuple[Rule, str, Opinion]] = []
    demanded: set[str] = set()
    rules_of_gates = RuleSet("", RULES)  # their names have no rule set in front
    for rule_set in (rules_of_gates, *rule_sets):
        for rule in rule_set.rules:
            opinion = rule.opinion(submission, evidence, case)
            asked_rules.append((rule, rule_set.name, opinion))
            if isinstance(opinion, Objection):
                demanded.update(opinion.demands)

    # 2. The citations in both spellings by which a rule may name them: as the submission has
    #    them, and as canonical paths.
    cited = set(submission.citations)
    for path in submission.citations:
        cited.add(evidence.find(path).path)

    # 3. Only now does each opinion become a verdict.
    verdicts: list[Verdict] = []
    for rule, rule_set_name, opinion in asked_rules:
        verdicts.append(
            rule.verdict(opinion, frozenset(cited), frozenset(demanded), rule_set_name)
        )
    return tuple(verdicts)


def _enforced(
    verdict: Verdict, policy: GatePolicy, earlier_reasons: Sequence[str]
) -> Verdict:
    """Return a verdict as it counts in a trial, with the enforcement of the run's policy.

    | the rule's enforcement | what its objection does                              |
    | ---------------------- | ---------------------------------------------------- |
    | `block`                | rejects the answer every time                        |
    | `ask`                  | rejects answers in `MOST_ASKING_TURNS` turns at most |
    | `off`                  | is only recorded                                     |

    `earlier_reasons` are the texts with which the rule has objected so far, one for each turn.
    After these turns, the model gets its way: the objection is recorded as `overridden`.
    """
    enforced = replace(verdict, enforcement=policy.enforcement(verdict))
    has_asked_enough = len(earlier_reasons) >= MOST_ASKING_TURNS
    if (
        enforced.result == "reject"
        and enforced.enforcement == "ask"
        and has_asked_enough
    ):
        return replace(enforced, result="overridden")
    return enforced


def _rejects(verdict: Verdict) -> bool:
    """Return True if a verdict, as `_enforced` returns it, rejects the submission."""
    return verdict.result == "reject" and verdict.enforcement in STOPPING


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
    verdicts = all_verdicts(submission, evidence, case, rule_sets)
    return conclude(submission, verdicts, policy, earlier_objections)


def conclude(
    submission: Submission,
    verdicts: Sequence[Verdict],
    policy: GatePolicy | None = None,
    earlier_objections: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Return the judgement that follows from the verdicts of all rules under a policy.

    The verdicts are those of `all_verdicts`, so that of gate 7 is still missing.

    `earlier_objections` has, by the key of each rule that has objected in this trial before,
    what it said each time: `{"6/wording": ["`unclear` asks nothing: …"]}`. After
    `MOST_ASKING_TURNS` times, a rule that only asks is overridden.
    """
    policy = policy or GatePolicy()
    earlier = earlier_objections or {}

    # 1. Apply the policy.
    enforced = [
        _enforced(verdict, policy, earlier.get(verdict.key, ())) for verdict in verdicts
    ]

    # 2. Call the script's own `verify` (gate 7), unless another gate rejects already.
    if any(_rejects(verdict) for verdict in enforced):
        verdict_of_verify = _VERIFY_SKIPPED
    else:
        opinion = judge_verify_reply(submission)
        # What is cited and demanded matters only to an opinion about citations, unlike this one.
        verdict_of_verify = VERIFY_RULE.verdict(
            opinion, cited=frozenset(), demanded=frozenset()
        )
    earlier_reasons = earlier.get(verdict_of_verify.key, ())
    enforced.append(_enforced(verdict_of_verify, policy, earlier_reasons))

    # 3. Tell the script everything that it has to fix, in the order of the gates.
    enforced.sort(key=_place_in_order)
    messages: list[str] = []
    for verdict in enforced:
        if _rejects(verdict):
            messages.append(_message_of(verdict, earlier.get(verdict.key, ())))
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
