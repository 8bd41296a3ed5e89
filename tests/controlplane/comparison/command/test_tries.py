"""`compare` names the tasks that a run has tried several times with different scores.

The run "twice" tries each of its two tasks twice. Of the tries of the task t0, one is right (score 1) and
one is wrong (score 0). Both tries of t1 are right.
"""

import re
from pathlib import Path

from tests.support.command import CommandRunner
from tests.support.journals.scored_journal import scored_journal


def test_compare_names_tasks_whose_tries_differ_and_their_pass_rates(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """The run is compared with itself: its tries differ from each other."""
    (tmp_path / "runs").mkdir()
    scores_of_tries = {"t0": [1.0, 0.0], "t1": [1.0, 1.0]}
    # In one world, all trials of a task find the same files: they are tries of the same thing.
    scored_journal(tmp_path / "runs/twice.jsonl", scores_of_tries, one_world=True)

    plain = run_command_here("compare", "twice", "twice")
    strict = run_command_here("compare", "twice", "twice", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == 0
    assert "tries differ: t0" in plain.out
    # pass@2: both tasks have a right try. pass^2: one of two has only right tries.
    assert re.search(r"pass@2 1.000 .* pass\^2 0.500", plain.out), plain.out
