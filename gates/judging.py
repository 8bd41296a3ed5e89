"""Judges a submission by all gates and rules; its table says which block and which ask. See `gates.enforcement`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gates.answer_gates import (
    ask_internal_error,
    ask_unmade_change,
    ask_unowned_change,
    ask_untied_change,
    ask_wording,
    judge_literal_tokens,
    judge_outcome_class,
)
from gates.citation_gates import (
    ask_demanded_citations,
    ask_justification,
    judge_canonical_citations,
    judge_read_citations,
)
from gates.enforcement import VERIFY_RULE, conclude
from gates.evidence import Evidence
from gates.request_text import ask_posed_instruction
from gates.row_values import ask_computed_numbers, ask_counted_records, ask_crossed_values
from gates.rules import Objection, Pack, Rule
from gates.script_gates import judge_fact_shapes, judge_verify_signature
from gates.submission import Case, Submission
from gates.value_rules import ask_found_values
from gates.verdict import GATE_NAMES, GatePolicy, Judgement, Verdict

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
    Rule("posed-instruction", ask_posed_instruction, "ask", gate=6),
    Rule("unmade-change", ask_unmade_change, "ask", gate=6),
    Rule("untied-change", ask_untied_change, "ask", gate=6),
    Rule("unowned-change", ask_unowned_change, "ask", gate=6),
    Rule("found-value", ask_found_values, "ask", gate=6),
    Rule("counted-records", ask_counted_records, "ask", gate=6),
    Rule("computed-number", ask_computed_numbers, "ask", gate=6),
    Rule("crossed-values", ask_crossed_values, "ask", gate=6),
    Rule(GATE_NAMES[8], judge_literal_tokens, "block", gate=8),
)
"""Every gate but the seventh, and every general rule, with its enforcement. A rule that blocks judges structure alone,
in any language and domain; a rule that asks reads sentences or computes something."""


def find_objections(
    submission: Submission, evidence: Evidence, case: Case, packs: Sequence[Pack] = (), *, asks: bool = True
) -> tuple[Verdict, ...]:
    """Judge a submission by every gate but the seventh and by the rules of `packs`; one message has every fault.
    Without `asks`, only rules that block judge.

    The citations that rules demand are collected first, so that no rule forbids what another one demands.
    """
    replaced = {rule.replaces for pack in packs for rule in pack.rules} - {""}
    rules = [("", rule) for rule in RULES if rule.name not in replaced] + [
        (pack.name, rule) for pack in packs for rule in pack.rules
    ]
    rules = rules if asks else [(pack, rule) for pack, rule in rules if rule.enforcement == "block"]
    opinions = [rule.opinion(submission, evidence, case) for _, rule in rules]
    demanded = frozenset(path for opinion in opinions if isinstance(opinion, Objection) for path in opinion.demands)
    cited = frozenset(submission.citations) | {evidence.find(path).path for path in submission.citations}
    pairs = zip(rules, opinions, strict=True)
    return tuple(rule.verdict(opinion, cited, demanded, pack) for (pack, rule), opinion in pairs)


def rule_keys(packs: Sequence[Pack] = ()) -> frozenset[str]:
    """Return every key under which `GatePolicy` can set an enforcement: gates, their rules, packs and their rules."""
    own = {Verdict(rule.gate, rule.name, "pass").key for rule in (*RULES, VERIFY_RULE)}
    return frozenset(
        own | {pack.name for pack in packs} | {f"{pack.name}/{rule.name}" for pack in packs for rule in pack.rules}
    )


def judge(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    *,
    policy: GatePolicy | None = None,
    packs: Sequence[Pack] = (),
    put: Mapping[str, int] | None = None,
) -> Judgement:
    """Judge a submission by every gate and by the rules of `packs`, and return one judgement."""
    return conclude(submission, find_objections(submission, evidence, case, packs), policy, put)
