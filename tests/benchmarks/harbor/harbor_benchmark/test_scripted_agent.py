"""An agent solves a task in a container, with calls to files and a shell.

In the folder of the task `fix-test`, the module prices.py rounds down, and not to the nearest
cent, so that the tests beside it fail. The model's replies are written in the test: the first
changes the module, and the second runs its tests and answers.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import TASKS, run_tasks

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]

REPLIES = '''
[[reply]]
code = """
module = harness.read("prices.py")
wrong = "net_cents * rate_percent // 100"
right = "(net_cents * rate_percent + 50) // 100"
harness.write("/app/prices.py", module.content.replace(wrong, right))
"""

[[reply]]
code = """
tests = harness.shell("python3 -m unittest", check=True)
scratchpad["answer"] = "the tests pass"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: tests.exit_code == 0)
"""
'''


def test_an_agent_solves_a_task_with_files_and_shell(tmp_path: Path) -> None:
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLIES)

    run = run_tasks(TASKS, f"scripted:{replies}", tmp_path, "fix-test")

    assert run.json["trials"][0]["score"] == 1.0, run.out
