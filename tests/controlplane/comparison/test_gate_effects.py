"""What the gates did to a run, trial by trial."""

from dataclasses import replace
from pathlib import Path

from controlplane.comparison.compared_trials import ComparedRun, compared_run
from controlplane.comparison.gate_effects import effects_text, gate_effects
from tests.support.scored_journal import Scores, scored_journal


def run_of(path: Path, scores: Scores, rejections: dict[str, dict[str, int]]) -> ComparedRun:
    found = compared_run([scored_journal(path, scores)])
    for each in found.trials:
        each.summary.rejections.update(rejections.get(each.task, {}))
    return found


def test_every_gate_is_told_what_followed_on_its_rejections(tmp_path: Path) -> None:
    rejections = {"a": {"8": 2, "5": 1}, "b": {"8": 1}, "c": {"3": 1}, "d": {"3": 1}, "e": {"ecom/checklist": 1}}
    gated = run_of(tmp_path / "g.jsonl", {"a": [1], "b": [0], "c": [1], "d": [0.5], "e": [None]}, rejections)
    free = run_of(tmp_path / "f.jsonl", {"a": [0], "b": [0.5], "c": [1], "d": [0.5], "e": [1]}, {})
    for each in free.trials:
        if each.task == "d":
            each.summary.answer = "other"
    found = gate_effects(gated, free)
    tokens = found.by_gate["8 literal tokens"]
    assert (tokens.rejections, tokens.trials, tokens.followed_by["better"], tokens.followed_by["worse"]) == (3, 2, 1, 1)
    assert tokens.score_change == 0.5
    canonical = found.by_gate["3 canonical citations"]
    assert (canonical.followed_by["same answer"], canonical.followed_by["same score, other answer"]) == (1, 1)
    assert found.by_gate["ecom/checklist"].followed_by["no score"] == 1
    assert "8 literal tokens" in effects_text(found)
    assert "had gates too" not in effects_text(found)
    assert "the second run had gates too (rejections: 6)" in effects_text(replace(found, rejections_without=6))


def test_a_run_without_rejections_says_so(tmp_path: Path) -> None:
    one = run_of(tmp_path / "one.jsonl", {"a": [1]}, {})
    assert effects_text(gate_effects(one, one)) == "no gate rejected anything in these trials"
