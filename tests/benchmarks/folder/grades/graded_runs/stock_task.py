"""The task `stock`, and a model that solves it: it writes "12 pieces" into `/stock.txt`.

    tasks/stock/task.toml     instruction = "Write the stock of A-7 into /stock.txt."
    tasks/stock/files/a.txt   a file that the agent sees, here as /a.txt: "A-7: 12"

A file `grade.py` beside the `task.toml` would grade the answers.
"""

from pathlib import Path

from tests.support.command import CommandResult, run_controlplane

INSTRUCTION = 'instruction = "Write the stock of A-7 into /stock.txt."\n'
"""The line of a `task.toml` with the task. It needs a second one that says what is right."""


WRITTEN_ANSWER = """
[[reply]]
code = '''
harness.write("/stock.txt", "12 pieces")
scratchpad["answer"] = "Written: 12 pieces."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = ["/stock.txt"]
harness.answer(scratchpad, lambda sp: "12" in sp["answer"])
'''
"""
"""A reply of the model: a script that writes the file, and gives the answer."""


def write_task(folder: Path, task: str) -> None:
    """Write the task `stock`, whose `task.toml` has this text, into the folder `tasks`."""
    (folder / "tasks/stock/files").mkdir(parents=True)
    (folder / "tasks/stock/files/a.txt").write_text("A-7: 12")
    (folder / "tasks/stock/task.toml").write_text(task)


def run_tasks(folder: Path, *, replies: str) -> CommandResult:
    """Run the task with a model that gives these replies. Return what the command has printed."""
    (folder / "replies.toml").write_text(replies)
    return run_controlplane(
        "run",
        "--benchmark=folder:tasks",
        "--model=scripted:replies.toml",
        "--json",
        cwd=folder,
    )
