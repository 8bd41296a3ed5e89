"""Every command of the page of recipes runs, one after the other in one folder.

They play a task without and with a hint, and write `report.html` and `trials.csv` about both runs.
"""

import csv
from pathlib import Path

import pytest

from tests.documentation.command_lines import run_line
from tests.documentation.pages import (
    DOCS,
    EXAMPLES,
    RECIPES_PAGE,
    blocks,
    shell_lines,
)


@pytest.mark.usefixtures("shared_fork_servers")
def test_every_recipe_runs(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(DOCS)
    lines = shell_lines(RECIPES_PAGE)
    assert len(lines) == 7  # Another number is a sign that the test misses some.

    for line in lines:
        result = run_line(line, tmp_path)
        assert result.code == 0, (line, result)

    empty_report_bytes = 10_000  # A report with trials has more.
    assert (tmp_path / "report.html").stat().st_size > empty_report_bytes
    with (tmp_path / "trials.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = ("run_name", "family", "score")
    assert [[row[column] for column in columns] for row in rows] == [
        ["short", "calendar-date", "1.0"],
        ["hinted", "calendar-date", "1.0"],
    ]


def test_the_recipe_for_a_task_of_inspect_runs(tmp_path: Path) -> None:
    """The page has one block of commands for users of Inspect, another framework: "```sh inspect".

    The test is skipped where Inspect, a package of its own, is not installed.
    """
    inspect_package = "inspect_ai"
    pytest.importorskip(inspect_package)
    (tmp_path / "docs").symlink_to(DOCS)
    (recipe,) = blocks(RECIPES_PAGE, kind="sh inspect")

    result = run_line(recipe.strip(), tmp_path)

    assert result.code == 0, result.err
    assert "mean score 1.000" in result.out


def test_the_example_of_a_task_of_inspect_has_at_most_30_lines() -> None:
    """The page of recipes promises that it is short."""
    example = (EXAMPLES / "inspect_stock.py").read_text(encoding="utf-8")

    assert len(example.splitlines()) <= 30
