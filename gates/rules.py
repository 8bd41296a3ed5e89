"""Rules, rule sets for one kind of benchmark, and the judgement of a submission by all gates and rules.

The table `RULES` says which of them block and which ask. Rules find faults in data alone. Gate 7 is asked last, and all
is enforced under a run's policy.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Final, TypeAlias

from controlplane.gates import eight_gates
from controlplane.gates.evidence import Evidence
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
    Submission,
    Verdict,
    describe,
    joined_faults,
    quote,
    quote_some,
)
from controlplane.sandbox.interface import bounds

REGISTERED: Final = {
    "ecom": "controlplane.benchmarks.shop.rule_set:RULE_SET",
    "posed": "controlplane.benchmarks.shop.rule_set:POSED",
}


RuleFunction: TypeAlias = Callable[[Submission, Evidence, Case], Opinion]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a gate or of a rule set."""

    name: str
    fault_of: RuleFunction
    """Returns the rule's opinion. The text of an asking rule says what to check, never the answer or the outcome."""
    enforcement: Enforcement = "ask"
    gate: int = RULE_SET_GATE

    def opinion(self, submission: Submission, evidence: Evidence, case: Case) -> Opinion:
        """Return the rule's opinion. After an exception, its own fault, the rule does not apply, and says where."""
        try:
            opinion = self.fault_of(submission, evidence, case)
            return (
                opinion
                if opinion is None or isinstance(opinion, (str, Objection, Inapplicable))
                else list(opinion)
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 - anybody may have written a rule, for data of any form
            # Its own last line; its first one if it could not be called, or returned no opinion.
            code = getattr(self.fault_of, "__code__", type(self).opinion.__code__)
            file, line = code.co_filename, code.co_firstlineno
            for frame in traceback.extract_tb(error.__traceback__):
                line = (frame.filename == file and frame.lineno) or line
            said = f"{type(error).__name__}: {error}"[:500]
            return Inapplicable(f"{RULE_FAILED}{said} ({file}, line {line})")

    def verdict(
        self, opinion: Opinion, cited: frozenset[str], demanded: frozenset[str], rule_set: str = ""
    ) -> Verdict:
        """Return the verdict that an opinion leads to, given the cited paths and what all rules demand."""
        name = f"{rule_set}/{self.name}" if rule_set else self.name
        if isinstance(opinion, Inapplicable):
            why = opinion.why[: bounds.SHOWN_MESSAGE_CHARS]
            return Verdict(self.gate, name, "not_applicable", why, self.enforcement)
        fault = joined_faults(_faults_of(opinion, cited, demanded))
        return Verdict(self.gate, name, "reject" if fault else "pass", fault, self.enforcement)


def _faults_of(opinion: Opinion, cited: frozenset[str], demanded: frozenset[str]) -> list[str]:
    if isinstance(opinion, Objection):
        missing = [path for path in dict.fromkeys(opinion.demands) if path not in cited]
        surplus = [
            path
            for path in dict.fromkeys(opinion.forbids)
            if path in cited and path not in demanded
        ]
        faults = [opinion.lacking.replace("{paths}", quote_some(missing))] if missing else []
        return faults + (
            [opinion.surplus.replace("{paths}", quote_some(surplus))] if surplus else []
        )
    if opinion is None or isinstance(opinion, (str, Inapplicable)):
        return [opinion] if isinstance(opinion, str) and opinion else []
    return [fault for fault in opinion if isinstance(fault, str) and fault]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named set of rules that are switched on together."""

    name: str
    rules: tuple[Rule, ...]


class RuleSetError(ValueError):
    """There is no rule set under the given name."""


def load_rule_set(name: str) -> RuleSet:
    """Return a registered rule set by its name, or the rule set at `importable.module:ATTRIBUTE`. Raises
    `RuleSetError`."""
    module, _, attribute = REGISTERED.get(name, name).partition(":")
    names = ", ".join(REGISTERED)
    if not attribute:
        msg = f"no rule set is called {name!r}: use one of {names}, or importable.module:ATTRIBUTE"
        raise RuleSetError(msg)
    try:
        rule_set = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as fault:
        msg = f"the rule set {name!r} cannot be loaded: {fault}"
        raise RuleSetError(msg) from fault
    if not isinstance(rule_set, RuleSet):
        msg = f"{name!r} is a {type(rule_set).__name__}, not a controlplane.gates.rules.RuleSet"
        raise RuleSetError(msg)
    return rule_set


Pack = RuleSet
"""Its name in earlier versions, which rule sets of users import."""


RULES: Final = (
    Rule(GATE_NAMES[1], eight_gates.judge_verify_signature, "block", gate=1),
    Rule(GATE_NAMES[2], eight_gates.judge_fact_shapes, "block", gate=2),
    Rule(GATE_NAMES[3], eight_gates.judge_canonical_citations, "block", gate=3),
    Rule("demanded-citation", eight_gates.ask_demanded_citations, "ask", gate=3),
    Rule(GATE_NAMES[4], eight_gates.judge_read_citations, "block", gate=4),
    Rule(GATE_NAMES[5], eight_gates.ask_justification, "ask", gate=5),
    Rule(GATE_NAMES[6], eight_gates.judge_outcome_class, "block", gate=6),
    Rule("wording", eight_gates.ask_wording, "ask", gate=6),
    Rule("internal-error", eight_gates.ask_internal_error, "ask", gate=6),
    Rule("unowned-change", eight_gates.ask_unowned_change, "ask", gate=6),
    Rule("arithmetic", eight_gates.ask_arithmetic, "ask", gate=6),
    Rule(GATE_NAMES[8], eight_gates.judge_literal_tokens, "block", gate=8),
)
"""Every gate but the seventh, and every general rule, with its enforcement. A rule that blocks judges structure alone,
in any language and domain; a rule that asks reads sentences or computes something."""


VERIFY_RULE: Final = Rule(
    GATE_NAMES[VERIFY_GATE], lambda submission, evidence, case: None, "block", gate=VERIFY_GATE
)
INSISTING: Final = "If the answer is right, submit it again: it passes, and is reported as accepted over the objection."


def find_objections(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: Sequence[RuleSet] = ()
) -> tuple[Verdict, ...]:
    """Judge a submission by every gate but the seventh and by the rules of `rule_sets`; one message has every fault.

    The citations that rules demand are collected first, so that no rule forbids what another one demands.
    """
    rules = [
        (rule_set.name, rule)
        for rule_set in (RuleSet("", RULES), *rule_sets)
        for rule in rule_set.rules
    ]
    opinions = [rule.opinion(submission, evidence, case) for _, rule in rules]
    demanded = frozenset(
        path for opinion in opinions if isinstance(opinion, Objection) for path in opinion.demands
    )
    cited = frozenset(submission.citations) | {
        evidence.find(path).path for path in submission.citations
    }
    pairs = zip(rules, opinions, strict=True)
    return tuple(
        rule.verdict(opinion, cited, demanded, rule_set) for (rule_set, rule), opinion in pairs
    )


def rule_keys(rule_sets: Sequence[RuleSet] = ()) -> frozenset[str]:
    """Return every key under which `GatePolicy` can set an enforcement: gates, their rules, rule sets and their
    rules."""
    own = {Verdict(rule.gate, rule.name, "pass").key for rule in (*RULES, VERIFY_RULE)} | {REVIEW}
    return frozenset(
        own
        | {rule_set.name for rule_set in rule_sets}
        | {f"{rule_set.name}/{rule.name}" for rule_set in rule_sets for rule in rule_set.rules}
    )


def judge(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    *,
    policy: GatePolicy | None = None,
    rule_sets: Sequence[RuleSet] = (),
    put: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Judge a submission by every gate and by the rules of `rule_sets`, and return one judgement."""
    return conclude(submission, find_objections(submission, evidence, case, rule_sets), policy, put)


def conclude(
    submission: Submission,
    found: Sequence[Verdict],
    policy: GatePolicy | None = None,
    put: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Return the judgement that follows from the verdicts that need only data, and from gate 7, under a run's policy.

    `put` holds what each asking rule objected to in the trial's earlier turns, by the verdict's key. Gate 7 calls the
    script's own code; it runs last, and only if nothing else rejects.
    """
    policy, put = policy or GatePolicy(), put or {}
    verdicts = [_enforced(verdict, policy, put) for verdict in found]
    if any(verdict.result == "reject" and verdict.enforcement != "off" for verdict in verdicts):
        last = Verdict(
            VERIFY_GATE, VERIFY_RULE.name, "skipped", "runs only if everything else passes"
        )
    else:
        last = VERIFY_RULE.verdict(
            eight_gates.judge_verify_reply(submission), frozenset(), frozenset()
        )
    verdicts.append(_enforced(last, policy, put))
    ordered = tuple(sorted(verdicts, key=lambda verdict: verdict.gate or len(ALL_GATES) + 1))
    rejections = [
        verdict
        for verdict in ordered
        if verdict.result == "reject" and verdict.enforcement != "off"
    ]
    return Judgement(
        accepted=not rejections,
        message="\n".join(_text(verdict, put.get(verdict.key, ())) for verdict in rejections),
        verdicts=ordered,
        answer=_sendable(submission.answer),
        outcome=_sendable(submission.outcome),
        refs=tuple(_sendable(path) for path in submission.citations),
    )


def _enforced(verdict: Verdict, policy: GatePolicy, put: Mapping[str, Sequence[str]]) -> Verdict:
    """Return a verdict as enforced: an objection that was raised often enough no longer rejects."""
    enforcement = policy.enforcement(verdict)
    is_spent = enforcement == "ask" and len(put.get(verdict.key, ())) >= MOST_TURNS
    if verdict.result == "reject" and is_spent:
        return replace(verdict, result="overridden", enforcement=enforcement)
    return (
        verdict if verdict.enforcement == enforcement else replace(verdict, enforcement=enforcement)
    )


def _text(verdict: Verdict, earlier: Sequence[str]) -> str:
    """Return the text of a rejection; a repeated objection tells only what is new, and that the answer may stand."""
    name = f"gate {verdict.gate}: {verdict.name}" if verdict.gate != RULE_SET_GATE else verdict.name
    if verdict.enforcement == "block":
        return f"[{name}] {verdict.reason}"
    turns, lines = MOST_TURNS, verdict.reason.splitlines()
    left = [line for line in lines if line in "\n".join(earlier).splitlines()]
    parts = [line for line in lines if line not in left]
    parts += [f"This still stands: {quote(left[0], 80)}."] if left else []
    parts += [INSISTING] if earlier and len(earlier) + 1 == turns else []
    return f"[{name}; objection {len(earlier) + 1} of {turns}] " + "\n".join(parts)


def _sendable(value: Plain) -> str:
    """Return text unchanged and any other value as a description, both without what UTF-8 cannot encode."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else describe(value)
    return text.encode("utf-8", "replace").decode("utf-8")
