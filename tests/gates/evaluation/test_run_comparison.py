"""What the gates did to a run, trial by trial."""

from gates.evaluation import TrialOutcome
from gates.evaluation.run_comparison import compare_runs, comparison_text


def outcome(task_id: str, score: float | None, answer: str, *rejected_by: str) -> TrialOutcome:
    return TrialOutcome(task_id, score, (answer, "OUTCOME_OK", ()), rejected_by)


def test_every_gate_is_told_what_followed_on_its_rejections() -> None:
    gated = [
        outcome("a", 1.0, "7", "8 literal tokens", "8 literal tokens", "5 citations are justified"),
        outcome("b", 0.0, "x", "8 literal tokens"),
        outcome("c", 1.0, "7", "3 canonical citations"),
        outcome("d", 0.5, "y", "3 canonical citations"),
        outcome("e", None, "z", "3 canonical citations"),
        outcome("f", 1.0, "7"),
    ]
    free = [
        outcome("a", 0.0, "7 books"),
        outcome("b", 0.5, "x"),
        outcome("c", 1.0, "7"),
        outcome("d", 0.5, "z"),
        outcome("e", 1.0, "z"),
        outcome("f", 1.0, "7"),
    ]
    found = compare_runs(gated, free)
    tokens, canonical = found.by_gate["8 literal tokens"], found.by_gate["3 canonical citations"]
    assert (tokens.rejections, tokens.trials, tokens.followed_by["better"], tokens.followed_by["worse"]) == (3, 2, 1, 1)
    assert tokens.score_change == 0.5
    assert canonical.followed_by == {
        "better": 0,
        "worse": 0,
        "same score, other answer": 1,
        "same answer": 1,
        "no score": 1,
    }
    assert (found.mean_with, found.mean_without) == (0.7, 0.6)
    assert found.rejections_without == 0
    assert "had gates too" not in comparison_text(found)
    assert "8 literal tokens" in comparison_text(found)


def test_repeats_of_a_task_are_paired_in_order_and_the_rest_is_counted() -> None:
    found = compare_runs(
        [outcome("a", 1.0, "1", "x"), outcome("a", 0.0, "2"), outcome("b", 1.0, "3")],
        [outcome("a", 0.0, "1"), outcome("c", 1.0, "3")],
    )
    assert (found.pairs, found.unpaired) == (1, 3)
    assert found.by_gate["x"].followed_by["better"] == 1


def test_runs_without_rejections_and_without_scores_say_so() -> None:
    text = comparison_text(compare_runs([outcome("a", None, "1")], [outcome("a", None, "1")]))
    assert "mean score with gates unknown, without unknown" in text
    assert "no gate rejected anything" in text


def test_a_second_run_that_had_gates_is_named_as_such() -> None:
    gated = [outcome("a", 1.0, "7", "8 literal tokens")]
    assert "the second run had gates too (rejections: 1)" in comparison_text(compare_runs(gated, gated))
