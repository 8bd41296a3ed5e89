"""Judges a submission by all gates and rules; its table says which block and which ask.

Rules find faults in data alone. Gate 7 is asked last, and all is enforced under a run's policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from gates.eight_gates import (
    ask_arithmetic,
    ask_demanded_citations,
    ask_internal_error,
    ask_justification,
    ask_unowned_change,
    ask_wording,
    judge_canonical_citations,
    judge_fact_shapes,
    judge_literal_tokens,
    judge_outcome_class,
    judge_read_citations,
    judge_verify_reply,
    judge_verify_signature,
)
from gates.evidence import Evidence
from gates.rules import Objection, Rule, RuleSet
from gates.submission import (
    ALL_GATES,
    GATE_NAMES,
    MOST_TURNS,
    REVIEW,
    RULE_SET_GATE,
    VERIFY_GATE,
    Case,
    GatePolicy,
    Judgement,
    Plain,
    Submission,
    Verdict,
    describe,
    quote,
)

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
"""Every gate but the seventh, and every general rule, with its enforcement. A rule that blocks judges structure alone,
in any language and domain; a rule that asks reads sentences or computes something."""


VERIFY_RULE: Final = Rule(GATE_NAMES[VERIFY_GATE], lambda submission, evidence, case: None, "block", gate=VERIFY_GATE)
INSISTING: Final = "If the answer is right, submit it again: it passes, and is reported as accepted over the objection."


def find_objections(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: Sequence[RuleSet] = ()
) -> tuple[Verdict, ...]:
    """Judge a submission by every gate but the seventh and by the rules of `rule_sets`; one message has every fault.

    The citations that rules demand are collected first, so that no rule forbids what another one demands.
    """
    rules = [(rule_set.name, rule) for rule_set in (RuleSet("", RULES), *rule_sets) for rule in rule_set.rules]
    opinions = [rule.opinion(submission, evidence, case) for _, rule in rules]
    demanded = frozenset(path for opinion in opinions if isinstance(opinion, Objection) for path in opinion.demands)
    cited = frozenset(submission.citations) | {evidence.find(path).path for path in submission.citations}
    pairs = zip(rules, opinions, strict=True)
    return tuple(rule.verdict(opinion, cited, demanded, rule_set) for (rule_set, rule), opinion in pairs)


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
        last = Verdict(VERIFY_GATE, VERIFY_RULE.name, "skipped", "runs only if everything else passes")
    else:
        last = VERIFY_RULE.verdict(judge_verify_reply(submission), frozenset(), frozenset())
    verdicts.append(_enforced(last, policy, put))
    ordered = tuple(sorted(verdicts, key=lambda verdict: verdict.gate or len(ALL_GATES) + 1))
    rejections = [verdict for verdict in ordered if verdict.result == "reject" and verdict.enforcement != "off"]
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
    return verdict if verdict.enforcement == enforcement else replace(verdict, enforcement=enforcement)


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
