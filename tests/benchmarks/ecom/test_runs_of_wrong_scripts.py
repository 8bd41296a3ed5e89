"""What is wrong with a script is told to the model, which could then do better.

The model here is a file with a single script, and does not get better.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from controlplane.benchmarks.ecom.world.settings import PLAYED
from tests.benchmarks.ecom.variants import task_in_run
from tests.support.command import run_in_process


def only_step(folder: Path, task_id: str, script: str, *options: str) -> dict[str, Any]:
    """Run a task with a model that writes this script, and return its step."""
    (folder / "script.toml").write_text(f"[[reply]]\ncode = '''{script}'''\n")
    run_in_process(
        *("run", task_id, "--seed", "3"),
        *("--model", "scripted:script.toml"),
        *options,
        cwd=folder,
    )
    replayed = run_in_process(
        "replay", "last", "--trial", task_id, "--json", cwd=folder
    )
    (step,) = replayed.json["steps"]
    return dict(step)


def test_an_answer_that_claims_a_change_but_makes_none_is_sent_back(
    tmp_path: Path,
) -> None:
    """The script does not run the checkout that it declares. All else in it is right."""
    task = task_in_run("basket-checkout.1", seed=3)
    basket = task.truth.for_tests[
        "basket"
    ]  # the path of the basket that is to be bought
    script = f"""
harness.read("{basket}")
harness.read("/docs/checkout.md")
scratchpad.cite("{basket}", "the basket to be bought")
scratchpad.cite("/docs/checkout.md", "what is checked before a checkout")
scratchpad["answer"] = "{task.truth.message}"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = [{{"path": "/bin/checkout", "action": "execute"}}]
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK" and sp["answer"] != "")
"""

    step = only_step(tmp_path, "basket-checkout.1", script)

    assert "GateRejection" in step["error"]
    assert (
        "`changes` names `/bin/checkout`: the trace shows no such change"
        in (step["error"])
    )
    shown = run_in_process("show", "last", "--json", cwd=tmp_path)
    assert shown.json["score"] == 0.0


def test_a_cut_read_tells_the_model_how_to_get_the_rest(tmp_path: Path) -> None:
    """In the profile `hard`, the file of a branch is longer than one call returns."""
    task = task_in_run(
        "staff-count.1", seed=3, settings=replace(PLAYED, profile="hard")
    )
    first_branch, *_ = task.world.stores.values()
    path = task.world.path(first_branch)
    script = f"print(harness.read('{path}').truncated)"

    step = only_step(tmp_path, "staff-count.1", script, "--set", "profile=hard")

    assert step["output"].startswith("True\n")
    told_to_model = "".join(step["feedback"])
    rest = f"{path} goes on: harness.tools.read_all(path) gives the rest."
    assert rest in told_to_model
