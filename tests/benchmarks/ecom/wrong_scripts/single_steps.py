"""The step of a trial whose model writes a single script, and does not get better.

single_step(folder, "staff-count.1", "print(4)")["output"]  # what it prints
"""

from pathlib import Path
from typing import Any

from tests.support.command import run_in_process


def single_step(
    folder: Path, task_id: str, script: str, *options: str, seed: int = 3
) -> dict[str, Any]:
    """Run a task with a model that writes this script, and return its step.

    The model writes nothing else, so if the answer is sent back, the trial has none.
    """
    (folder / "script.toml").write_text(f"[[reply]]\ncode = '''{script}'''\n")
    model = "--model=scripted:script.toml"
    run_in_process("run", task_id, f"--seed={seed}", model, *options, cwd=folder)

    replay = ("replay", "last", "--trial", task_id, "--json")
    replayed = run_in_process(*replay, cwd=folder)
    (step,) = replayed.json["steps"]
    return dict(step)
