"""The files of a user's project that has packages called `agent`, `gates` and so on, as the product has.

`write_project(folder)` writes `agent/__init__.py` and others, a program `program.py` and its test.
Each package writes its name into a file when it is imported.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from tests.support.command import run_python

# A user's project that has packages called `agent`, `gates` and so on, as the product has.
#
# The product is installed as `controlplane`, so that `import agent` in this project is the user's own
# package. Each of them writes its name into a file when it is imported, as
# `users_packages_imported_by` returns.


def users_packages_imported_by(
    project: Path, wheel: Path, words: list[str]
) -> set[str]:
    """Run Python in a project where the wheel is installed; return which of the user's packages
    any process has imported."""
    site = project / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    log = project / "imported.log"
    log.touch()

    result = run_python(
        *words,
        cwd=project,
        PYTHONPATH=os.pathsep.join([str(site), str(project)]),
        IMPORT_LOG=str(log),
        HOME=str(project),
    )

    assert result.code == 0, result.out + result.err
    return set(log.read_text().split())


USERS_PACKAGE = """
import os
with open(os.environ["IMPORT_LOG"], "a") as log:
    log.write(__name__ + "\\n")
NAME = "the user's own " + __name__
"""
"""The code of the user's packages `agent`, `gates`, ...: each writes its name into the file that the
variable IMPORT_LOG names, when it is imported."""


USERS_PROGRAM = """
import agent
import controlplane
from controlplane import Task

assert agent.NAME == "the user's own agent"
TASKS = [Task("stock.1", "How many of A-7 are left?", files={"/stock.csv": "A-7,12"},
              grade=lambda end: end.answer == "12")]

if __name__ == "__main__":
    run = controlplane.run(TASKS, model="scripted:replies.toml", runs_dir="runs")
    assert run.mean == 1.0, run.trials[0].why
"""
"""A program that uses the user's `agent`, and plays a task with the product."""


USERS_TESTS = """
import agent
import controlplane
from program import TASKS

def test_the_task_is_solved(tmp_path):
    run = controlplane.run(TASKS, model="scripted:replies.toml", runs_dir=str(tmp_path))
    assert run["stock.1"].score == 1
"""
"""A test of the user's, which does the same."""


REPLIES = '''
[[reply]]
code = """
left = harness.read("/stock.csv").content.partition(",")[2]
scratchpad["answer"] = left
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/stock.csv", "the row of A-7 has 12")
harness.answer(scratchpad, lambda sp: sp["answer"] == left)
"""
'''
"""The model's reply, which solves the task of the user's program."""


EVERYDAY_NAMES = ("agent", "benchmarks", "gates", "prompts", "sandbox", "tests")
"""Names of packages that many projects have, and the product's repository, too."""


def write_project(folder: Path) -> None:
    """Write a project with packages of everyday names, a program and its test into a folder."""
    for name in EVERYDAY_NAMES:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(USERS_PACKAGE)
    (folder / "program.py").write_text(USERS_PROGRAM)
    (folder / "test_program.py").write_text(USERS_TESTS)
    (folder / "replies.toml").write_text(REPLIES)
