"""All that the first run prints fits one screen, and the README shows the same.

Somebody who has just fetched the repository calls `./start`. It plays recorded replies of a model
to tasks of the shop, and prints their scores and what to call next.
"""

from tests.benchmarks.ecom.recorded_model.first_run.first_run import FirstRun
from tests.support.command import ROOT


def test_the_first_run_fits_one_screen_and_leaves_a_journal(
    first_run: FirstRun,
) -> None:
    """The usual terminal has 24 lines of 80 columns. The last is for the next prompt."""
    assert len(first_run.screen) <= 23
    for line in first_run.screen:
        assert len(line) <= 80
    assert len(list(first_run.runs_folder.glob("*.jsonl"))) == 1


def test_the_first_run_ends_with_commands_to_go_on_with(first_run: FirstRun) -> None:
    """The last lines are commands with their purposes: `next  ./start replay ... # why`."""
    commands = first_run.lines_from("next  ./start ")

    purposes = [line.partition("# ")[2] for line in commands]

    assert purposes == [
        "why",
        "your own model: docs/models.md",
        "your own task: docs/benchmarks.md",
    ]


def test_the_readme_shows_the_screen_of_the_first_run(first_run: FirstRun) -> None:
    """All lines but one are in the README. That one has the name of the run: `2028-03-04T10...`."""
    readme = (ROOT / "README.md").read_text("utf-8").splitlines()

    lines_not_in_readme = [line for line in first_run.screen if line not in readme]

    assert len(lines_not_in_readme) == 1
    beginning_of_the_year = "2"
    assert lines_not_in_readme[0].startswith(
        f"next  ./start replay {beginning_of_the_year}"
    )
