"""`compare` joins a run with its rerun, and tells of tasks whose tries differ.

A run may be named with a rerun that has played some of its trials again: `after+rerun`. A task may be
tried several times: of "t0: 1, 0", one of two tries is right.
"""

import re
from pathlib import Path

from tests.controlplane.comparison.command.scored_runs import scores, write_run
from tests.support.command import CommandRunner
from tests.support.journals.scored_journal import scored_journal


def test_a_rerun_replaces_the_trials_that_it_has_played_again(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    write_run(tmp_path, "before", scores(1))
    write_run(tmp_path, "after", scores(1, t0=0))
    write_run(tmp_path, "rerun", {"t0": [1.0]}, parent="after")

    plain = run_command_here("compare", "before", "after+rerun")
    strict = run_command_here("compare", "before", "after+rerun", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == 0
    assert "0 better, 0 worse, 8 equal" in strict.out


def test_compare_names_tasks_whose_tries_differ_and_their_pass_rates(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    (tmp_path / "runs").mkdir()
    tries = {"t0": [1.0, 0.0], "t1": [1.0, 1.0]}
    scored_journal(tmp_path / "runs/twice.jsonl", tries, one_world=True)

    plain = run_command_here("compare", "twice", "twice")
    strict = run_command_here("compare", "twice", "twice", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == 0
    assert "tries differ: t0" in plain.out
    # pass@2: both tasks have a right try. pass^2: one of two has only right tries.
    assert re.search(r"pass@2 1.000 .* pass\^2 0.500", plain.out), plain.out
