"""`run` without a model lets the baseline play: a program of the benchmark, with rules for some tasks.

It solves `calendar-date.1`, a task of the family calendar-date. For a family without rules, such as
stock-count, the user has to name a model.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.player import FAMILIES_WITH_RULES
from controlplane.errors import UsageError
from tests.support.command import run_in_process


def test_a_run_without_a_model_plays_only_tasks_that_the_baseline_has_rules_for(
    tmp_path: Path,
) -> None:
    """It says so, and how to name a model for the others. One task of each family is played."""
    family_count = str(len(FAMILIES_WITH_RULES))
    run = run_in_process("run", "--limit", family_count, cwd=tmp_path)

    assert run.code == 0, run.err
    # 34 of the 100 tasks belong to FAMILIES_WITH_RULES.
    assert "has rules for 34 of 100 tasks" in run.out
    assert "run --model NAME" in " ".join(run.out.split())
    assert "mean score" in run.out
    shown = run_in_process("show", "last", "--json", cwd=tmp_path)
    families = set()
    for trial in shown.json["trials"]:
        family, _, _number = trial["task_id"].rpartition(".")
        families.add(family)
        # A rule that fails does not answer with its exception: "IndexError: ... out of range"
        assert "Error" not in trial["answer"]
        assert "out of range" not in trial["answer"]
    assert families == set(FAMILIES_WITH_RULES)


@pytest.mark.parametrize("name", ["stock-count", "sku-lookup.3", "stock-count.4"])
def test_a_named_task_without_rules_is_refused_with_the_command_for_a_model(
    tmp_path: Path, name: str
) -> None:
    """The baseline would fail at these tasks, and the score would mean nothing."""
    refused = run_in_process("run", name, cwd=tmp_path)

    assert refused.code == UsageError.exit_code
    assert f"run {name} --model NAME" in refused.err
    assert not list(tmp_path.glob("runs/*.jsonl"))


def test_the_baseline_plays_any_task_if_it_is_named_as_the_model(
    tmp_path: Path,
) -> None:
    """Its answer is wrong: the task asks for a number of products."""
    run = run_in_process(
        "run", "stock-count.2", "--model", "baseline", "--json", cwd=tmp_path
    )

    assert run.code == 0, run.err
    answer = run.json["trials"][0]["answer"]
    assert "There is no open basket of yours." in answer
    assert "out of range" not in answer  # the text of an IndexError in a rule
