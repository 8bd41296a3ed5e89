"""`compare` joins a run with its rerun, which has played some of the run's trials again.

    compare before after+rerun

The runs have the eight tasks t0 to t7. A task scores 1 if it is right, and 0 if it is wrong.
"""

from pathlib import Path

from tests.controlplane.comparison.command.scored_runs import scores, write_run
from tests.support.command import CommandRunner


def test_a_rerun_replaces_the_trials_that_it_has_played_again(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """After the change, the task t0 was wrong. Played again, t0 was right."""
    write_run(tmp_path, "before", scores(1))  # t0 to t7 score 1.
    write_run(tmp_path, "after", scores(1, t0=0))  # All score 1 but t0.
    write_run(tmp_path, "rerun", {"t0": [1.0]}, parent="after")

    plain = run_command_here("compare", "before", "after+rerun")
    strict = run_command_here("compare", "before", "after+rerun", "--fail-if-worse")

    assert plain.code == 0
    assert strict.code == 0
    assert "0 better, 0 worse, 8 equal" in strict.out
