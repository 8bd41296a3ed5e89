"""Judges a submission by all gates and rules; its table says which block and which ask. See `gates.enforcement`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gates.answer_gates import (
    ask_internal_error,
    ask_unowned_change,
    ask_wording,
    judge_literal_tokens,
    judge_outcome_class,
)
from gates.arithmetic import ask_arithmetic
from gates.citation_gates import (
    ask_demanded_citations,
    ask_justification,
    judge_canonical_citations,
    judge_read_citations,
)
from gates.enforcement import VERIFY_RULE, conclude
from gates.evidence import Evidence, SeenText, Touch
from gates.rules import Objection, Pack, Rule, load_pack
from gates.script_gates import judge_fact_shapes, judge_verify_signature
from gates.submission import Case, Plain, Submission
from gates.transport import evidence_data, evidence_of, submission_data, submission_of, verdict_data
from gates.verdict import GATE_NAMES, REVIEW, GatePolicy, Judgement, Verdict

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
_WARM_ROUNDS: Final = 12
"""More than the interpreter takes to specialise what it runs."""


def find_objections(
    submission: Submission, evidence: Evidence, case: Case, packs: Sequence[Pack] = (), *, asks: bool = True
) -> tuple[Verdict, ...]:
    """Judge a submission by every gate but the seventh and by the rules of `packs`; one message has every fault.
    Without `asks`, only rules that block judge.

    The citations that rules demand are collected first, so that no rule forbids what another one demands.
    """
    replaced = {name for pack in packs for rule in pack.rules for name in rule.replaces}
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
    own = {Verdict(rule.gate, rule.name, "pass").key for rule in (*RULES, VERIFY_RULE)} | {REVIEW}
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
    put: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Judge a submission by every gate and by the rules of `packs`, and return one judgement."""
    return conclude(submission, find_objections(submission, evidence, case, packs), policy, put)


def judge_in_aide(
    submission: dict[str, Any], evidence: dict[str, Any], case: list[Any], rules: list[Any], texts: list[str]
) -> list[Plain]:
    """Return the findings of gates and of the packs' rules, all but gate 7, in a process that gets and returns data.

    `rules` holds the packs and whether rules that ask judge, too; `texts` are those that `evidence` refers to.
    """
    seen, (packs, asks) = evidence_of(evidence, texts), rules
    found = find_objections(submission_of(submission), seen, Case(*case), tuple(map(load_pack, packs)), asks=asks)
    return verdict_data(found)


def warm_up() -> None:
    """Judge a few times in the process from which aides are forked.

    The interpreter specialises code when it runs first; otherwise each aide would do so again, in memory of its own.
    """
    path, text = "/docs/loans.md", SeenText("Answer `<COUNT:%d>`. The loans are 12 on 2026-01-05.")
    touches, paths = {path: Touch(path, frozenset({"read"}), (text,))}, {path: (path,)}
    steps = (("", text.text), ("print(rows)", "2 [('b-1', 12), ('b-2', 15)]\n"), ("answer = '12'", ""))
    seen = Evidence(has_trace=True, touches=touches, paths_by_spelling=paths, steps=steps)
    answer, reasons = "<COUNT:12> of 1,200 on 5 January 2026", {path: "12 loans"}
    given = submission_data(Submission(answer=answer, outcome="OUTCOME_OK", refs_why={**reasons}, from_script=True))
    instruction = "How many are lent? Answer yes or no, or with the number only as <COUNT:%d>."
    data, texts = evidence_data(seen)
    case = [instruction, text.text, "/docs", 0, "2026-01-05T10:00:00Z"]
    for _ in range(_WARM_ROUNDS):
        judge_in_aide(*json.loads(json.dumps([given, data, case, [[], True], texts])))
