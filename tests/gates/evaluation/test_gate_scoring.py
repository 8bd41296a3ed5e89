"""What the gates catch of recorded answers, and how that is counted."""

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from gates import load_pack
from gates.evaluation.gate_scoring import (
    Judged,
    confidence_interval,
    cross_validate,
    judge_scored,
    kind_of_fault,
    tally,
)
from gates.evaluation.recorded_answers import RecordedAnswer, judge_recorded, read_answers, read_scores
from gates.evaluation.score_report import report_json, report_text
from gates.language.answer_contract import derive_contract
from tests.gates.evaluation.recorded_samples import RECORDED, needs_recorded, written
from tests.gates.instruction_variants import VARIANTS


@cache
def judged_with(*packs: str) -> list[Judged]:
    return judge_scored(read_answers(RECORDED), read_scores(RECORDED), tuple(load_pack(name) for name in packs))


@cache
def right_answers() -> list[RecordedAnswer]:
    scores = {each.id: each.score for each in read_scores(RECORDED)}
    return [answer for answer in read_answers(RECORDED) if scores[answer.id] == 1.0]


@needs_recorded
@pytest.mark.parametrize(("packs", "least_percent"), [((), 9.0), (("ecom",), 36.0)])
def test_the_gates_catch_wrong_answers_and_hold_up_no_right_ones(packs: tuple[str, ...], least_percent: float) -> None:
    loaded = tuple(load_pack(name) for name in packs)
    judged = judged_with(*packs)
    together, (folded, _) = tally(judged), cross_validate(judged)
    for found in (together, folded):
        assert 100 * found.caught_share >= least_percent
        assert found.false_per_thousand <= 1.5
    notes = tally(judge_scored(read_answers(RECORDED), read_scores(RECORDED), loaded, "note"))
    assert notes.false_per_thousand <= 1.5


@needs_recorded
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_right_answer_is_held_up_for_the_wording_of_its_instruction(
    variant: Callable[[str], str], heavy: bool
) -> None:
    for answer in random.Random(7).sample(right_answers(), 250 if heavy else 100):
        varied = answer.model_copy(update={"task_text": variant(answer.task_text)})
        found = judge_recorded(varied, (load_pack("ecom"),))
        assert found.accepted, f"{answer.id}: {found.message}"


FORM_WORDS = re.compile(
    r"%0?\d?d|YYYY"
    r"|\b(?:answer|reply|respond|return)\b[^.?!]*\b(?:only|exactly|just|format|one per line)\b|\bonly\.?\s*$",
    re.IGNORECASE,
)


@needs_recorded
def test_contracts_are_derived_for_most_instructions_and_no_right_answer_breaks_one() -> None:
    scores = {each.id: each.score for each in read_scores(RECORDED)}
    derived: dict[str, bool] = {}
    broken: list[str] = []
    for answer in read_answers(RECORDED):
        contract = derive_contract(answer.task_text, "")
        if FORM_WORDS.search(answer.task_text) and "yes/no" not in answer.task_text:
            derived[answer.task_text] = contract.is_enforced
        if answer.outcome == "OUTCOME_OK" and scores[answer.id] == 1.0 and contract.is_enforced:
            broken += [answer.id] if contract.breach(answer.message) else []
    assert len(derived) > 500
    assert sum(derived.values()) / len(derived) > 0.5
    assert broken == []


NEED_A_TRACE = {
    "ecom/unnamed-basket",
    "ecom/addition",
    "ecom/discount-state",
    "ecom/exported-records",
    "ecom/file-work",
    "ecom/empty-question",
    "ecom/cited-field",
    "ecom/cited-rows",
    "ecom/cited-stock",
    "ecom/changed-record",
    "ecom/stranger",
    "ecom/source",
}
"""Rules that say nothing of an answer without a trace."""
LEFT_TO_GATE_6 = {"ecom/control-block"}
"""Rules that tell only of what gate 6 does not; of the recorded answers it leaves them none."""


@needs_recorded
def test_every_rule_of_the_pack_that_needs_no_trace_catches_something() -> None:
    fired = {name for each in judged_with("ecom") for name in each.rejected_by}
    assert {f"ecom/{rule.name}" for rule in load_pack("ecom").rules} - fired == NEED_A_TRACE | LEFT_TO_GATE_6


def test_a_measurement_counts_wrong_right_and_partial_apart(tmp_path: Path) -> None:
    path = written(tmp_path)
    report = report_json(judge_scored(read_answers(path), read_scores(path), ()), with_folds=True)
    together = report["together"]
    assert (together["wrong"], together["caught"], together["partial"], together["partial_caught"]) == (2, 2, 1, 1)
    assert (together["right"], together["held_up"]) == (1, 0)
    assert set(report["by_rule"]) == {"literal tokens", "canonical citations"}
    assert report["by_fault"] == [{"fault": "Answer should be …", "wrong": 2, "caught": 2}]
    assert "caught 2 of 2 wrong = 100.0 %" in report_text(report)


def of_run(run: str, score: float, *rules: str) -> Judged:
    return Judged(f"{run} {score} {rules}", run, score, "", rules)


def test_a_rule_is_measured_on_runs_that_did_not_choose_it() -> None:
    judged = [of_run("r1", 0.0, "lucky")]
    judged += [of_run(f"r{number}", 0.0, "steady") for number in range(1, 6)]
    judged += [of_run(f"r{number}", 1.0, "costly") for number in range(1, 6)]
    judged += [of_run(f"r{number}", 0.0, "costly") for number in range(1, 6)]
    total, chosen = cross_validate(judged)
    assert (total.caught, total.wrong, len(total.false_positives)) == (5, 11, 0)
    assert chosen == {"steady": 5, "lucky": 4}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('Answer should be "7"', "Answer should be …"),
        ("answer missing required reference '/docs/a.md'", "answer missing required reference …"),
        ("recovered ~40% EUR", "recovered ~N EUR"),
    ],
)
def test_faults_of_one_kind_count_together(line: str, kind: str) -> None:
    assert kind_of_fault([line]) == kind


@pytest.mark.parametrize(
    ("count", "of", "interval"),
    [(0, 0, (0.0, 1.0)), (0, 100, (0.0, 0.037)), (50, 100, (0.4038, 0.5962)), (9, 9, (0.701, 1.0))],
)
def test_confidence_intervals_are_those_of_wilson(count: int, of: int, interval: tuple[float, float]) -> None:
    assert confidence_interval(count, of) == pytest.approx(interval, abs=0.0005)
