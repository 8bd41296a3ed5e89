"""`sweep s.toml` plays the same tasks under several settings, and compares the scores.

The file s.toml says that three tasks are played twice: with all gates (checks of answers), and with
`gates = ["none"]`. In each task, the model answers "OUTCOME_OK" first, which is wrong, and then "7".
Gates send the first answer back; without gates, it counts.
"""

import pytest

from tests.controlplane.commands.sweep.sweep_results import means_by_label
from tests.support.command import CommandRunner


@pytest.mark.usefixtures("file_of_two_runs")
def test_a_dry_run_of_a_sweep_lists_its_runs_without_playing_them(
    run_command_here: CommandRunner,
) -> None:
    """Each line has the name of the run, and in what it differs from the base."""
    listed = run_command_here("sweep", "s.toml", "--dry-run")

    assert listed.out.splitlines() == [
        "s-base-cae6  base",
        "s-gates-none-42a3  gates=none",
    ]


@pytest.mark.usefixtures("file_of_two_runs")
def test_a_sweep_plays_its_runs_and_compares_them(
    run_command_here: CommandRunner,
) -> None:
    """With all gates each task is right, and without gates each is wrong."""
    result = run_command_here("sweep", "s.toml", "--json").json

    assert result["finished"]
    means = means_by_label(result)
    assert list(means) == ["base", "gates=none"]
    assert means["base"]["mean"] == 1.0
    assert means["gates=none"]["mean"] == 0.0
    _, without_gates = result["runs"]
    changes = {task["task"]: task["change"] for task in without_gates["tasks"]}
    assert changes == {
        "seat-001": "worse",
        "seat-002": "worse",
        "seat-003": "worse",
    }
