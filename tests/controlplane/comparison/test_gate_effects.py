"""What the gates did to a run, trial by trial."""

from pathlib import Path

from controlplane.comparison.compared_trials import ComparedRun, compared_run
from controlplane.comparison.gate_effects import effects_text, gate_effects
from tests.support.scored_journal import Scores, scored_journal


def run_of(path: Path, scores: Scores, rejections: dict[str, dict[str, int]]) -> ComparedRun:
    found = compared_run([scored_journal(path, scores)])
    for trial in found.trials:
        trial.summary.rejections.update(rejections.get(trial.task, {}))
    return found


def test_every_gate_is_told_what_followed_on_its_rejections_whichever_run_had_them(tmp_path: Path) -> None:
    rejections = {"a": {"8": 2, "5": 1}, "b": {"8": 1}, "c": {"3": 1}, "d": {"3": 1}, "e": {"ecom/checklist": 1}}
    gated = run_of(tmp_path / "g.jsonl", {"a": [1], "b": [0], "c": [1], "d": [0.5], "e": [None]}, rejections)
    free = run_of(tmp_path / "f.jsonl", {"a": [0], "b": [0.5], "c": [1], "d": [0.5], "e": [1]}, {})
    for found in (gate_effects(gated, free), gate_effects(free, gated)):
        tokens = found["8 literal tokens"]
        assert (tokens.rejections, tokens.trials, tokens.followed_by["better"], tokens.followed_by["worse"]) == (
            3,
            2,
            1,
            1,
        )
        assert tokens.score_change == 0.5
        assert found["3 canonical citations"].followed_by["equal"] == 2
        assert found["ecom/checklist"].followed_by["no score"] == 1
        assert found["ecom/checklist"].score_change == 0
        assert "8 literal tokens" in effects_text(found)


def test_nothing_follows_where_both_runs_had_gates_or_neither_rejected(tmp_path: Path) -> None:
    free = run_of(tmp_path / "one.jsonl", {"a": [1]}, {})
    gated = run_of(tmp_path / "two.jsonl", {"a": [1]}, {"a": {"3": 1}})
    assert gate_effects(free, free) == gate_effects(gated, gated) == {}
