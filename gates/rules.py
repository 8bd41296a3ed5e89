"""Rules, rule sets for one kind of benchmark, and the judgement of a submission by all gates and
rules.

The table `RULES` says which of them block and which ask. Rules find faults in data alone. Gate 7 is
asked last, and all is enforced under a run's policy.
"""

from __future__ import annotations

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
    """Returns the rule's opinion. The text of an asking rule says what to check, never the
    answer or the outcome."""
    enforcement: Enforcement = "ask"
    gate: int = RULE_SET_GATE

    def opinion(self, submission: Submission, evidence: Evidence, case: Case) -> Opinion:
        """Return the rule's opinion. After an exception, its own fault, the rule does not apply,
        and says where."""
        try:
            opinion = self.fault_of(submission, evidence, case)
            if opinion is None or isinstance(opinion, str | Objection | Inapplicable):
                return opinion
            return list(opinion)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - anybody may have written a rule, for data of any form
            message = f"{type(error).__name__}: {error}"[:SHOWN_ERROR_CHARS]
            return Inapplicable(f"{RULE_FAILED}{message} ({self._place_of(error)})")

    def _place_of(self, error: BaseException) -> str:
        """Return the rule's last line that ran; its first one if it could not be called, or
        returned no opinion."""
        code = getattr(self.fault_of, "__code__", type(self).opinion.__code__)
        line = code.co_firstlineno
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename == code.co_filename and frame.lineno:
                line = frame.lineno
        return f"{code.co_filename}, line {line}"

    def verdict(
        self, opinion: Opinion, cited: frozenset[str], demanded: frozenset[str], rule_set: str = ""
    ) -> Verdict:
        """Return the verdict that an opinion leads to, given the cited paths and what all rules
        demand."""
        name = f"{rule_set}/{self.name}" if rule_set else self.name
        if isinstance(opinion, Inapplicable):
            why = opinion.why[: bounds.SHOWN_MESSAGE_CHARS]
            return Verdict(self.gate, name, "not_applicable", why, self.enforcement)
        fault = joined_faults(_faults_of(opinion, cited, demanded))
        result: Result = "reject" if fault else "pass"
        return Verdict(self.gate, name, result, fault, self.enforcement)


def _faults_of(opinion: Opinion, cited: frozenset[str], demanded: frozenset[str]) -> list[str]:
    """Return the faults that an opinion names."""
    match opinion:
        case None | Inapplicable() | "":
            return []
        case str():
            return [opinion]
        case Objection():
            return _faults_of_citations(opinion, cited, demanded)
    return [fault for fault in opinion if isinstance(fault, str) and fault]


def _faults_of_citations(
    objection: Objection, cited: frozenset[str], demanded: frozenset[str]
) -> list[str]:
    """Compare the cited paths with those that a rule demands and forbids; what any rule demands
    is not surplus."""
    missing = [path for path in dict.fromkeys(objection.demands) if path not in cited]
    surplus = [
        path for path in dict.fromkeys(objection.forbids) if path in cited and path not in demanded
    ]
    faults: list[str] = []
    if missing:
        faults.append(objection.lacking.replace("{paths}", quote_some(missing)))
    if surplus:
        faults.append(objection.surplus.replace("{paths}", quote_some(surplus)))
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
"""Every gate but the seventh, and every general rule, with its enforcement. A rule that blocks
judges structure alone, in any language and domain; a rule that asks reads sentences or computes
something."""


def _no_objection(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Gate 7 calls the script's `verify`, which `conclude` does once nothing else rejects."""
    return None


VERIFY_RULE: Final = Rule(GATE_NAMES[VERIFY_GATE], _no_objection, "block", gate=VERIFY_GATE)
INSISTING: Final = "If the answer is right, submit it again: it passes, and is reported as accepted over the objection."
SHOWN_REPEATED_CHARS: Final = 80
"""Characters of an objection that still stands, when it is repeated."""


def find_objections(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: Sequence[RuleSet] = ()
) -> tuple[Verdict, ...]:
    """Judge a submission by every gate but the seventh and by the rules of `rule_sets`; one message
    has every fault.

    The citations that rules demand are collected first, so that no rule forbids what another one
    demands.
    """
    judgements: list[tuple[str, Rule, Opinion]] = []
    demanded: set[str] = set()
    for rule_set in (RuleSet("", RULES), *rule_sets):
        for rule in rule_set.rules:
            opinion = rule.opinion(submission, evidence, case)
            judgements.append((rule_set.name, rule, opinion))
            if isinstance(opinion, Objection):
                demanded.update(opinion.demands)
    cited = set(submission.citations)
    for path in submission.citations:
        cited.add(evidence.find(path).path)
    return tuple(
        rule.verdict(opinion, frozenset(cited), frozenset(demanded), name)
        for name, rule, opinion in judgements
    )


def rule_keys(rule_sets: Sequence[RuleSet] = ()) -> frozenset[str]:
    """Return every key under which `GatePolicy` can set an enforcement: gates, their rules, rule
    sets and theirs."""
    keys = {REVIEW}
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
    put: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Judge a submission by every gate and by the rules of `rule_sets`, and return one
    judgement."""
    return conclude(submission, find_objections(submission, evidence, case, rule_sets), policy, put)


def conclude(
    submission: Submission,
    verdicts: Sequence[Verdict],
    policy: GatePolicy | None = None,
    put: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Return the judgement that follows from the verdicts that need only data, and from gate 7,
    under a run's policy.

    `put` holds what each asking rule objected to in the trial's earlier turns, by the verdict's
    key. Gate 7 calls the script's own code; it runs last, and only if nothing else rejects.
    """
    run_policy = policy or GatePolicy()
    earlier = put or {}
    enforced = [_enforced(verdict, run_policy, earlier) for verdict in verdicts]
    last = Verdict(VERIFY_GATE, VERIFY_RULE.name, "skipped", "runs only if everything else passes")
    if not any(_rejects(verdict) for verdict in enforced):
        last = VERIFY_RULE.verdict(judge_verify_reply(submission), frozenset(), frozenset())
    enforced.append(_enforced(last, run_policy, earlier))
    ordered = tuple(sorted(enforced, key=_place_in_order))
    rejections = [verdict for verdict in ordered if _rejects(verdict)]
    messages = [_message_of(verdict, earlier.get(verdict.key, ())) for verdict in rejections]
    return Judgement(
        accepted=not rejections,
        message="\n".join(messages),
        verdicts=ordered,
        answer=_sendable(submission.answer),
        outcome=_sendable(submission.outcome),
        refs=tuple(_sendable(path) for path in submission.citations),
    )


def _rejects(verdict: Verdict) -> bool:
    return verdict.result == "reject" and verdict.enforcement != "off"


def _place_in_order(verdict: Verdict) -> int:
    """Return the gate's number; the rules of rule sets follow the gates."""
    return verdict.gate or len(ALL_GATES) + 1


def _enforced(
    verdict: Verdict, policy: GatePolicy, earlier: Mapping[str, Sequence[str]]
) -> Verdict:
    """Return a verdict as enforced: an objection that was raised often enough no longer rejects."""
    enforcement = policy.enforcement(verdict)
    turns = len(earlier.get(verdict.key, ()))
    if verdict.result == "reject" and enforcement == "ask" and turns >= MOST_TURNS:
        return replace(verdict, result="overridden", enforcement=enforcement)
    return replace(verdict, enforcement=enforcement)


def _message_of(verdict: Verdict, earlier_reasons: Sequence[str]) -> str:
    """Return the text of a rejection; a repeated objection tells only what is new, and that the
    answer may stand."""
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
    parts = new_lines
    if repeated_lines:
        parts.append(f"This still stands: {quote(repeated_lines[0], SHOWN_REPEATED_CHARS)}.")
    if earlier_reasons and turn == MOST_TURNS:
        parts.append(INSISTING)
    return f"[{name}; objection {turn} of {MOST_TURNS}] " + "\n".join(parts)


def _sendable(value: Plain) -> str:
    """Return text unchanged and any other value as a description, both without what UTF-8 cannot
    encode."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else describe(value)
    return text.encode("utf-8", "replace").decode("utf-8")
