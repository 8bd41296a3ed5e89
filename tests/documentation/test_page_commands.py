"""Every command on a page of the documentation runs, as a reader types it.

The commands are taken from the pages themselves: each block that begins with three backquotes and
`sh` has one a line. Those of a block `sh skip` need a server of the reader's own, and run against
one of the tests.
"""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.bench.local_servers import model_server
from tests.documentation.pages import (
    DOCS,
    EXAMPLES,
    README,
    RECIPES_PAGE,
    blocks,
    shell_lines,
    table_rows,
)
from tests.support.command import ROOT, CommandResult, run_in_process, run_python
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.running_server import running_server


def run_line(line: str, folder: Path) -> CommandResult:
    """Run a command of a page in a folder: `controlplane ...`, `./start` or `python -m ...`.

    The script `./start` would first install the product; what it does then is run alone.
    """
    words = shlex.split(line)
    if words[0] == "controlplane":
        return run_in_process(*words[1:], cwd=folder)
    if words == ["./start"]:
        words = ["python", "-m", "controlplane.first_run"]
    assert words[:2] == ["python", "-m"], line
    return run_python(*words[1:], cwd=folder)


FALLBACK_NOTICE = "ended by the fallback"
"""What a run prints if the product had to answer in the player's place, which had no answer."""
CODE_UNANSWERED = 1
"""The exit code of a run whose player left a trial without an answer."""
LEAST_COMMANDS_OF_README = 12
"""The README has at least these. Fewer are a sign that the test does not find them."""


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the README run one after another, as for a reader."""
    folder = tmp_path_factory.mktemp("readme")
    for name in ("docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def with_few_trials(line: str) -> str:
    """Return a command with at most two trials, if it limits them: `--limit 20` -> `--limit 2`."""
    return re.sub(r"--limit \d+", "--limit 2", line)


class TestReadmeCommands:
    """A reader types the commands of the README one after the other.

    ./start                         installs the product and shows a run
    ./start test                    runs the tests
    controlplane show last ...      these run in one folder, `workplace`, and must succeed
    """

    def test_the_readme_begins_with_start_and_start_test(self) -> None:
        """A reader who types only these has seen a run and the tests."""
        assert shell_lines(README)[:2] == ["./start", "./start test"]

    @pytest.mark.usefixtures("shared_fork_servers")
    def test_every_command_of_the_readme_runs(
        self, workplace: Path, heavy: bool
    ) -> None:
        """Without `--heavy`, each run has two trials at most."""
        lines = shell_lines(README)
        lines.remove("./start test")  # It would run these tests.

        for line in lines:
            result = run_line(line if heavy else with_few_trials(line), workplace)
            # The player that goes by rules has none for some tasks, as the README says. The run
            # ends in order all the same.
            lacks_only_answers = (
                result.code == CODE_UNANSWERED and FALLBACK_NOTICE in result.out
            )
            assert result.code == 0 or lacks_only_answers, (
                f"{line}: {result.code}\n{result.out}{result.err}"
            )

        assert len(lines) >= LEAST_COMMANDS_OF_README


COMMANDS_OF_RECIPES = 7
"""The page of recipes has exactly seven. Another number is a sign that the test misses some."""
BYTES_OF_EMPTY_REPORT = 10_000
"""A report of a run has more: trials, and not only the bare page."""


class TestRecipes:
    """The commands of the page of recipes make a report and a table of two runs.

    A block on the page has one command a line. They run one after the other in a new folder, and
    the last ones write `report.html` and `trials.csv`.
    """

    @pytest.mark.usefixtures("shared_fork_servers")
    def test_every_recipe_runs(self, tmp_path: Path) -> None:
        """The table has two runs, one without and one with a hint, of one trial each."""
        (tmp_path / "docs").symlink_to(DOCS)
        lines = shell_lines(RECIPES_PAGE)
        assert len(lines) == COMMANDS_OF_RECIPES

        for line in lines:
            result = run_line(line, tmp_path)
            assert result.code == 0, f"{line}: {result.code}\n{result.out}{result.err}"

        report = tmp_path / "report.html"
        assert report.stat().st_size > BYTES_OF_EMPTY_REPORT
        with (tmp_path / "trials.csv").open(encoding="utf-8") as file:
            short_trial, hinted_trial = csv.DictReader(file)
        assert short_trial["run_name"] == "short"
        assert short_trial["family"] == "calendar-date"
        assert short_trial["score"] == "1.0"
        assert hinted_trial["run_name"] == "hinted"
        assert hinted_trial["family"] == "calendar-date"
        assert hinted_trial["score"] == "1.0"


LONGEST_INSPECT_EXAMPLE = 30
"""Lines. The page says that a task of Inspect, another framework, needs no more."""


class TestInspectRecipe:
    """A recipe runs a task of Inspect, another framework."""

    def test_the_example_with_inspect_is_short(self) -> None:
        """The page of recipes promises it."""
        example = (EXAMPLES / "inspect_stock.py").read_text(encoding="utf-8")

        assert len(example.splitlines()) <= LONGEST_INSPECT_EXAMPLE

    def test_the_recipe_for_a_task_of_inspect_runs(self, tmp_path: Path) -> None:
        """It is skipped where Inspect is not installed."""
        pytest.importorskip("inspect_ai")
        (tmp_path / "docs").symlink_to(DOCS)
        (recipe,) = blocks(RECIPES_PAGE, "sh inspect")

        result = run_line(recipe.strip(), tmp_path)

        assert result.code == 0, result.err
        assert "mean score 1.000" in result.out


LEAST_COMMANDS_OF_COMPARISON = 5
"""The section has at least these. Fewer are a sign that the test does not find them."""
COMPARISON_OF_RUNNERS = README.partition("## Beside other runners")[2].partition(
    "## Where"
)[0]
"""A section of the README: a table of what other runners do, and our command for it."""
MOST_ROWS_OF_COMPARISON = 8
"""A longer table would not be read."""


class TestComparisonWithOtherRunners:
    """The README has a table of what other runners do, and our commands for it."""

    def test_commands_of_the_comparison_run_elsewhere_in_the_readme(self) -> None:
        """The commands in a table are not run from there, so each has to be in a block, too."""
        commands = re.findall(r"`(controlplane [^`]+)`", COMPARISON_OF_RUNNERS)

        assert len(commands) >= LEAST_COMMANDS_OF_COMPARISON
        assert set(commands) <= set(shell_lines(README))

    def test_the_comparison_with_other_runners_is_short(self) -> None:
        """The first row of the table has the names of its columns."""
        _head, *rows = table_rows(COMPARISON_OF_RUNNERS)

        assert len(rows) <= MOST_ROWS_OF_COMPARISON


COMMANDS_FOR_OTHER_SERVERS = 2
"""The README has exactly two. Another number is a sign that the test misses some."""


def commands_for_other_servers() -> list[str]:
    """Return the commands of the README that need a server of the reader's own.

    They have places to fill in, such as `controlplane run --model <model>`.
    """
    commands: list[str] = []
    for block in blocks(README, "sh skip"):
        for line in block.splitlines():
            if line.startswith("controlplane "):
                commands.append(line)
    return commands


WRONG_ANSWER = json.dumps(
    {
        "state": "",
        "plan": [],
        "done": True,
        "code": (
            'harness.answer({"answer": "no", "outcome": "OUTCOME_NONE_UNSUPPORTED"},'
            " lambda sp: True)"
        ),
    }
)
"""A model's reply: a script that answers that the request cannot be served."""


class TestCommandsForOtherServers:
    """Some commands of the README need a server of the reader's own.

    They have places to fill in, as in `controlplane run --model <model>`, and stand in blocks
    `sh skip`. Here they get the servers of the tests, whose model gives wrong answers only: each
    trial fails, and nothing else does.
    """

    @pytest.mark.usefixtures("shared_fork_servers")
    def test_commands_for_a_server_of_the_readers_own_run_against_ours(
        self, tmp_path: Path, heavy: bool
    ) -> None:
        commands = commands_for_other_servers()
        assert len(commands) == COMMANDS_FOR_OTHER_SERVERS
        limits = ["--max-steps", "1"]
        if not heavy:
            limits += ["--limit", "2"]

        with (
            model_server([WRONG_ANSWER]) as model_port,
            running_server(EffectCounterBenchmark(2), ServerOptions()) as platform,
        ):
            for command in commands:
                filled_in = command.replace("<benchmark id>", "tally")
                filled_in = filled_in.replace("<model>", "canned")
                words = shlex.split(filled_in)[1:]
                result = run_in_process(
                    *words,
                    *limits,
                    cwd=tmp_path,
                    OPENAI_BASE_URL=f"http://127.0.0.1:{model_port}/v1",
                    OPENAI_API_KEY="none",
                    BITGN_API_KEY="k",
                    BITGN_HOST=platform.url,
                )

                assert result.code == 0, f"{command}: {result.code}\n{result.err}"
                assert "Traceback" not in result.err
