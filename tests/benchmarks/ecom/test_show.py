"""A task is shown whole to people, and nothing of that is within reach of what plays."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.show import show_task
from benchmarks.ecom.tasks.posing import pose_task
from tests.support.command import ROOT
from tests.support.import_graph import modules
from tests.support.in_process_command import inside

TASK = "basket-checkout.1"
REACHING = """
[[reply]]
code = '''
found = harness.find("*show*", limit=0).paths + harness.search("reference_solutions|Truth", limit=0).matches
print("found", len(found))
for path in ("/bin/show", "/bin/python", "benchmarks/ecom/show.py"):
    try:
        harness.exec(path, args=["--task", "basket-checkout.1"])
        print("reached", path)
    except (FileNotFoundError, HarnessError) as error:
        print("refused", path)
    try:
        harness.read(path)
        print("reached", path)
    except (FileNotFoundError, HarnessError) as error:
        print("refused", path)
'''

[[reply]]
code = "import benchmarks.ecom.show"

[[reply]]
code = "__import__('benchmarks.ecom.show')"

[[reply]]
code = "harness.show('basket-checkout.1')"
"""


@pytest.mark.parametrize("task_id", [TASK, "dispatch-wave.1", "temporary-files.1"])
def test_instruction_tree_truth_and_solution_are_shown(task_id: str) -> None:
    task = pose_task(task_id, "7")
    text = show_task(task)
    for record in (task.instruction, task.truth.outcome, *task.truth.records, *task.truth.changes, "/docs/"):
        assert record in text
    assert text.count("## ") >= 5


def test_no_script_reaches_it(tmp_path: Path) -> None:
    (tmp_path / "reaching.toml").write_text(REACHING, encoding="utf-8")
    flags = ("--model", f"scripted:{tmp_path / 'reaching.toml'}", "--max-steps", "5")
    ran = inside("run", TASK, *flags, "--json", cwd=tmp_path)
    assert ran.code == 0
    steps = [
        inside("replay", "last", "--trial", TASK, "--step", str(number), cwd=tmp_path).out for number in (1, 2, 3, 4)
    ]
    assert "found 0" in steps[0]
    assert steps[0].count("refused /bin") == 4
    assert "reached" not in steps[0].replace('print("reached"', "")
    for step in steps[1:]:
        assert "## truth" not in step
        assert "error" in step.lower()


def test_nothing_that_plays_imports_it_and_no_world_names_it() -> None:
    for module in modules().values():
        if module.place == "benchmarks/ecom/show.py":
            continue
        tree = ast.parse(module.path.read_text(encoding="utf-8"))
        named = {ast.unparse(each) for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)}
        assert not [each for each in named if "ecom.show" in each], module.place
    workspace = pose_task(TASK, "7").world.workspace()
    texts = [*workspace.files, *workspace.files.values(), str(EcomEnvironment(workspace).surface)]
    assert not [text for text in texts if "benchmarks.ecom" in text]
    assert (ROOT / "benchmarks/ecom/show.py").exists()
