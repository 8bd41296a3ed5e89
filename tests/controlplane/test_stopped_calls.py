"""Calls that the guard stops, as users meet them: told to the script, counted by what became of them, replayed."""

from pathlib import Path

import pytest

from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.tasks.posing import pose_task
from benchmarks.ecom.world.generator import PLAYED
from tests.benchmarks.ecom.variants import first_task
from tests.support.in_process_command import inside

TASK = first_task("basket-checkout#2")
TRUTH = pose_task(TASK, TrialId(TASK, 0, 0, "prod", "").world_seed, PLAYED).truth
BASKET = TRUTH.inputs["id"]
OTHER = f"{BASKET[:-1]}{(int(BASKET[-1]) + 1) % 10}"
TRIES = """
def buy(basket):
    try:
        harness.exec("/bin/checkout", args=[basket])
    except HarnessError as error:
        print(error.code, error)
"""
ANSWER = """
scratchpad["answer"], scratchpad["outcome"] = "It cannot be bought today.", "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""


@pytest.mark.parametrize(
    ("code", "then", "score"),
    [
        (f"buy('{BASKET}')", "not done", None),
        (f"buy('{BASKET}')\nbuy('{BASKET}')", "done all the same", 0.0),
        (f"buy('{BASKET}')\nbuy('{OTHER}')", "done otherwise", None),
    ],
)
def test_what_became_of_a_stopped_call_is_told_with_the_score(
    code: str, then: str, score: float | None, tmp_path: Path
) -> None:
    scripts = [f"{TRIES}{code}", *[ANSWER] * 3]
    replies = "".join(f"[[reply]]\ncode = '''\n{script}\n'''\n" for script in scripts)
    (tmp_path / "tries.toml").write_text(replies, encoding="utf-8")
    run = ("run", TASK, "--model", "scripted:tries.toml", "--name", "tried")
    done = inside(*run, cwd=tmp_path, COLUMNS="300")
    assert f"stopped by the guard: 1 {then} (mean score" in done.out
    told = inside("show", "tried", "--json", cwd=tmp_path).json
    assert told["stopped_calls"][then]["calls"] == 1
    assert score in (None, told["stopped_calls"][then]["mean_score"])
    assert told["trials"][0]["stopped_calls"] == [{"operation": "exec", "path": "/bin/checkout", "then": then}]
    assert "everything is as recorded" in inside("replay", "tried", "--verify", cwd=tmp_path).out
    walk = inside("replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300").out
    assert "failed_precondition" in walk


def test_a_guard_that_is_off_stops_nothing(tmp_path: Path) -> None:
    replies = "".join(f"[[reply]]\ncode = '''\n{TRIES}buy('{BASKET}')\n{ANSWER}'''\n" for _ in range(3))
    (tmp_path / "tries.toml").write_text(replies, encoding="utf-8")
    run = ("run", TASK, "--model", "scripted:tries.toml", "--name", "tried", "--rules", "ecom,ecom/guard=off")
    assert "stopped by the guard" not in inside(*run, cwd=tmp_path).out
