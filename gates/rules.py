"""Judges a submission by the eight gates and by the rules of rule sets.

A gate has one or several rules; a rule set has further ones for one kind of benchmark.
Judging takes two calls:

1. `find_objections` asks each `Rule` for its `Opinion` of the submission, such as a
   fault. Each opinion becomes a `Verdict`: pass, reject or not applicable.
2. `conclude` applies the run's policy, by which a rule blocks, asks or is off, and
   returns one `Judgement`. If no rule rejects, it also asks gate 7, which calls the
   script's own `verify`.

A rule that blocks rejects an answer until its fault is corrected. A rule that asks
rejects it in `MOST_TURNS` turns at most. Then the answer passes, and the rule's verdict
is `overridden`.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from controlplane.gates.citations import (
    ask_demanded_citations,
    judge_canonical_citations,
    judge_read_citations,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.facts_gate import judge_fact_shapes
from controlplane.gates.justification import ask_justification
from controlplane.gates.literal_tokens import judge_literal_tokens
from controlplane.gates.outcome_gate import (
    ask_arithmetic,
    ask_internal_error,
    ask_unowned_change,
    ask_wording,
    judge_outcome_class,
)
from controlplane.gates.submission import (
    ALL_GATES,
    GATE_NAMES,
    MOST_TURNS,
    REVIEW,
    RULE_FAILED,
    RULE_SET_GATE,
    VERIFY_GATE,
    Case,
    Enforcement,
    GatePolicy,
    Inapplicable,
    Judgement,
    Objection,
    Opinion,
    Plain,
    Result,
    Submission,
    Verdict,
    describe,
    joined_faults,
    key_of,
    quote,
    quote_some,
)
from controlplane.gates.verify_gates import judge_verify_reply, judge_verify_signature
from controlplane.sandbox.interface import bounds

SHOWN_ERROR_CHARS: Final = 500
RuleFunction: TypeAlias = Callable[[Submission, Evidence, Case], Opinion]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a gate or of a rule set."""

    name: str
    fault_of: RuleFunction
    """Returns the rule's opinion.

    The text of a rule that asks says what to check. It must not reveal the right answer
    or outcome.
    """
    enforcement: Enforcement = "ask"
    """`block` rejects until the fault is corrected, `ask` only in the first `MOST_TURNS` turns."""
    gate: int = RULE_SET_GATE
    """The gate that it belongs to; 0 for a rule of a rule set."""

    def opinion(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Opinion:
        """Return the rule's opinion.

        A rule may be a user's own code, and a submission may hold data of any form.
        If the rule raises an exception, the opinion is `Inapplicable` and names
        the line that failed.
        """
        try:
            result = self.fault_of(submission, evidence, case)
            if result is None or isinstance(result, str | Objection | Inapplicable):
                return result
            # A rule may be a generator, whose code runs only when its faults are collected.
            return list(result)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a rule is others' code
            message = f"{type(error).__name__}: {error}"[:SHOWN_ERROR_CHARS]
            return Inapplicable(
                f"{RULE_FAILED}{message} ({_failed_line(self.fault_of, error)})"
            )

    def verdict(
        self,
        opinion: Opinion,
        cited: frozenset[str],
        demanded: frozenset[str],
        rule_set: str = "",
    ) -> Verdict:
        """Return the verdict that follows from an opinion of this rule.

        `cited` are the paths that the submission cites, `demanded` those that any rule
        demands. What one rule demands, no other can forbid.
        """
        name = f"{rule_set}/{self.name}" if rule_set else self.name
        if isinstance(opinion, Inapplicable):
            why = opinion.why[: bounds.SHOWN_MESSAGE_CHARS]
            return Verdict(self.gate, name, "not_applicable", why, self.enforcement)
        fault = joined_faults(_faults_of(opinion, cited, demanded))
        result: Result = "reject" if fault else "pass"
        return Verdict(self.gate, name, result, fault, self.enforcement)


def _failed_line(function: RuleFunction, error: BaseException) -> str:
    """Return the last line of a rule that ran before an exception: `loans.py, line 12`.

    If no line of the rule ran, this is its first line. A rule that is not a Python
    function, such as a callable object, has no line.
    """
    # `functools.wraps` says which function a decorated one runs.
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return f"rule {type(function).__name__}"
    line = code.co_firstlineno
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == code.co_filename and frame.lineno:
            line = frame.lineno
    return f"{code.co_filename}, line {line}"


def _faults_of(
    opinion: Opinion, cited: frozenset[str], demanded: frozenset[str]
) -> list[str]:
    """Return the faults that an opinion names: one text, several texts, or faults of citations."""
    match opinion:
        case None | Inapplicable():
            return []
        case Objection():
            return _faults_of_citations(opinion, cited, demanded)
        case str():
            faults: Sequence[str] = [opinion]
        case _:
            faults = opinion
    # A user's own rule may return anything.
    return [fault for fault in faults if isinstance(fault, str) and fault]


def _faults_of_citations(
    objection: Objection, cited: frozenset[str], demanded: frozenset[str]
) -> list[str]:
    """Return the faults of the citations: demanded ones that are missing, and forbidden ones.

    A path that another rule demands may be cited even if this rule forbids it.
    """
    missing: list[str] = []
    for path in dict.fromkeys(objection.demands):
        if path not in cited:
            missing.append(path)
    forbidden: list[str] = []
    for path in dict.fromkeys(objection.forbids):
        if path in cited and path not in demanded:
            forbidden.append(path)

    # `lacking` and `surplus` are messages: "{paths} is not cited."
    faults: list[str] = []
    if missing:
        faults.append(objection.lacking.replace("{paths}", quote_some(missing)))
    if forbidden:
        faults.append(objection.surplus.replace("{paths}", quote_some(forbidden)))
    return faults


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named set of rules that are switched on together."""

    name: str
    rules: tuple[Rule, ...]


RULES: Final = (
    Rule(GATE_NAMES[1], judge_verify_signature, "block", gate=1),
    Rule(GATE_NAMES[2], judge_fact_shapes, "block", gate=2),
    Rule(GATE_NAMES[3], judge_canonical_citations, "block", gate=3),
    Rule("demanded-citation", ask_demanded_citations, "ask", gate=3),
    Rule(GATE_NAMES[4], judge_read_citations, "block", gate=4),
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
HOW_TO_INSIST: Final = (
    "If the answer is right, submit it again: it passes, and is reported as accepted over the "
    "objection."
)
SHOWN_REPEATED_CHARS: Final = 80
"""An objection that was already shown is cut to this many characters when it is repeated."""


@dataclass(frozen=True, slots=True)
class _AskedRule:
    """A rule with its opinion of a submission."""

    rule: Rule
    rule_set: str
    """The name of its rule set; empty for a rule of a gate."""
    opinion: Opinion


def find_objections(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: Sequence[RuleSet] = (),
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates but the seventh, and of the rules of rule sets.

    Verdicts that pass are included. All opinions are collected before the first verdict,
    because no rule can forbid a citation that another rule demands.
    """
    asked_rules: list[_AskedRule] = []
    demanded: set[str] = set()
    rules_of_gates = RuleSet("", RULES)
    for rule_set in (rules_of_gates, *rule_sets):
        for rule in rule_set.rules:
            opinion = rule.opinion(submission, evidence, case)
            asked_rules.append(_AskedRule(rule, rule_set.name, opinion))
            if isinstance(opinion, Objection):
                demanded.update(opinion.demands)

    # Rules may name a path as the submission spells it, or the canonical one.
    cited = set(submission.citations)
    for path in submission.citations:
        cited.add(evidence.find(path).path)

    verdicts: list[Verdict] = []
    for asked in asked_rules:
        verdict = asked.rule.verdict(
            asked.opinion, frozenset(cited), frozenset(demanded), asked.rule_set
        )
        verdicts.append(verdict)
    return tuple(verdicts)


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


def judge(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    *,
    policy: GatePolicy | None = None,
    rule_sets: Sequence[RuleSet] = (),
    earlier_objections: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Judge a submission by every gate and by the rules of rule sets; see `conclude`."""
    verdicts = find_objections(submission, evidence, case, rule_sets)
    return conclude(submission, verdicts, policy, earlier_objections)


def conclude(
    submission: Submission,
    verdicts: Sequence[Verdict],
    policy: GatePolicy | None = None,
    earlier_objections: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Return the judgement that follows from the verdicts of `find_objections` under a policy.

    `earlier_objections` has the texts of earlier turns of this trial by the verdict's
    key, one a turn: `{"6/wording": ["`unclear` asks nothing: …"]}`.
    """
    run_policy = policy or GatePolicy()
    earlier = earlier_objections or {}

    # 1. Apply the policy. An objection that was raised in `MOST_TURNS` turns no longer rejects.
    enforced: list[Verdict] = []
    for verdict in verdicts:
        enforced.append(
            _enforced(verdict, run_policy, len(earlier.get(verdict.key, ())))
        )

    # 2. Call the script's own `verify` (gate 7), unless another gate rejects already.
    if any(_rejects(verdict) for verdict in enforced):
        verdict_of_verify = Verdict(
            VERIFY_GATE,
            VERIFY_RULE.name,
            "skipped",
            "runs only if everything else passes",
        )
    else:
        opinion = judge_verify_reply(submission)  # says nothing about citations
        verdict_of_verify = VERIFY_RULE.verdict(
            opinion, cited=frozenset(), demanded=frozenset()
        )
    earlier_turns = len(earlier.get(verdict_of_verify.key, ()))
    enforced.append(_enforced(verdict_of_verify, run_policy, earlier_turns))

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


def _rejects(verdict: Verdict) -> bool:
    return verdict.result == "reject" and verdict.enforcement != "off"


def _place_in_order(verdict: Verdict) -> int:
    """Return the gate's number; the rules of rule sets follow the gates."""
    if verdict.gate == RULE_SET_GATE:
        return len(ALL_GATES) + 1
    return verdict.gate


def _enforced(verdict: Verdict, policy: GatePolicy, earlier_turns: int) -> Verdict:
    """Return a verdict with the policy's enforcement: `block`, `ask` or `off`.

    A rule that asks is overridden if it has already objected in `MOST_TURNS` turns.
    """
    enforcement = policy.enforcement(verdict)
    enforced = replace(verdict, enforcement=enforcement)
    has_asked_enough = enforcement == "ask" and earlier_turns >= MOST_TURNS
    if verdict.result == "reject" and has_asked_enough:
        return replace(enforced, result="overridden")
    return enforced


def _message_of(verdict: Verdict, earlier_reasons: Sequence[str]) -> str:
    """Return the message about a rejection for the script: `[gate 3: citations] …`.

    A rule that asks may object again. Then new lines are shown in full. Of the lines
    that the script has seen before, only the first is shown, cut short. In the last
    turn, the message adds that the answer may be submitted again. `earlier_reasons` has
    one text for each earlier turn.
    """
    name = verdict.name
    if verdict.gate != RULE_SET_GATE:
        name = f"gate {verdict.gate}: {verdict.name}"
    if verdict.enforcement == "block":
        return f"[{name}] {verdict.reason}"

    earlier_lines = "\n".join(earlier_reasons).splitlines()
    new_lines: list[str] = []
    repeated_lines: list[str] = []
    for line in verdict.reason.splitlines():
        if line in earlier_lines:
            repeated_lines.append(line)
        else:
            new_lines.append(line)

    turn = len(earlier_reasons) + 1
    lines = list(new_lines)
    if repeated_lines:
        lines.append(
            f"This still stands: {quote(repeated_lines[0], SHOWN_REPEATED_CHARS)}."
        )
    is_last_turn = turn == MOST_TURNS
    if is_last_turn:
        lines.append(HOW_TO_INSIST)
    return f"[{name}; objection {turn} of {MOST_TURNS}] " + "\n".join(lines)


def _sendable(value: Plain) -> str:
    """Return a text, or the description of another value, that UTF-8 can encode."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else describe(value)
    return text.encode("utf-8", "replace").decode("utf-8")
