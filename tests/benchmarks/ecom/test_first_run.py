"""What somebody sees who has just fetched the repository, and calls `./start`.

It plays recorded replies of a model to tasks of the shop, once with and once without the gates and
the pre-call check, which look at answers and calls before they are sent. Then it prints one screen:
the scores of the tasks, one answer that a gate sent back, one call that was held, and what to call
next.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.benchmarks.ecom.test_recorded_model import RECORDED
from tests.support.command import run_python

SCREEN_COLUMNS = 80

TASK_WITH_REJECTED_ANSWER = "stock-count.1"
"""In this recorded task, a gate, which checks answers, sends the first one back."""
TASK_WITH_HELD_CALL = "discount-limit.1"
"""In this one, the pre-call check, which looks at calls before they are sent, holds a discount."""


@dataclass(frozen=True)
class FirstRun:
    """What the first run of a newcomer printed and left behind."""

    screen: list[str]
    """The printed lines."""
    runs_folder: Path
    """Where the journal of the run is."""

    def lines_from(self, beginning: str) -> list[str]:
        """Return the lines from the first one on that begins like this."""
        for index, line in enumerate(self.screen):
            if line.startswith(beginning):
                return self.screen[index:]
        msg = f"no line begins with {beginning!r}"
        raise AssertionError(msg)


@pytest.fixture(scope="module")
def first_run(tmp_path_factory) -> FirstRun:
    """A run of `./start` on a screen of 80 columns."""
    runs_folder = tmp_path_factory.mktemp("first_run")
    settings = {
        "CONTROLPLANE_RUNS_DIR": str(runs_folder),
        "CONTROLPLANE_CALLED_AS": "./start",
        "COLUMNS": str(SCREEN_COLUMNS),
    }
    command = run_python("-m", "controlplane.first_run", **settings)
    return FirstRun(command.out.splitlines(), runs_folder)


SCREEN_LINES = 23
"""The usual terminal has 24 lines, and the last is for the next prompt."""


class TestScreen:
    """All that the first run prints fits one screen, and the README shows the same.

    `RECORDED` is the model whose replies are played: `RECORDED.scores` is
    `{"stock-count.1": 1.0, ...}`.
    """

    def test_the_first_run_fits_one_screen_and_leaves_a_journal(self, first_run):
        """A newcomer should see all of it at once, and can then replay it."""
        assert len(first_run.screen) <= SCREEN_LINES
        for line in first_run.screen:
            assert len(line) <= SCREEN_COLUMNS
        assert len(list(first_run.runs_folder.glob("*.jsonl"))) == 1

    def test_the_first_run_shows_the_score_of_each_task_and_the_mean(self, first_run):
        """The second line is `  0.00 open-branches        1.00 discount-grant`, for example."""
        _heading, *table_of_scores = first_run.screen[:7]
        shown_scores = sum(line.count(".00 ") for line in table_of_scores)
        failures = []
        for line in first_run.screen:
            if " failed (0.00): expected outcome" in line:
                failures.append(line)

        assert shown_scores == len(RECORDED.scores)
        assert (
            "mean score 0.889 with gates that check each answer and call; without them 0.778"
            in first_run.screen
        )
        assert len(failures) == 2

    def test_the_first_run_ends_with_commands_to_go_on_with(self, first_run):
        """Each line is a command with its purpose: `./start replay ... # why`."""
        last_lines = first_run.screen[-3:]

        purposes = [line.partition("# ")[2] for line in last_lines]

        assert purposes == [
            "why",
            "your own model: docs/models.md",
            "your own task: docs/benchmarks.md",
        ]

    def test_the_readme_shows_the_screen_of_the_first_run(self, first_run):
        """One line has the name of the run, `./start replay ...`, which differs each time."""
        repository = Path(__file__).parents[3]
        readme = (repository / "README.md").read_text("utf-8").splitlines()

        lines_not_in_readme = [line for line in first_run.screen if line not in readme]

        line_that_names_the_run = first_run.screen[-3]
        assert lines_not_in_readme == [line_that_names_the_run]


class TestShownChecks:
    """The screen shows what the gates and the pre-call check do, by an example of each.

    They are of two tasks: in `TASK_WITH_REJECTED_ANSWER`, a gate sends the first answer back, and
    in `TASK_WITH_HELD_CALL`, the pre-call check holds a discount.
    """

    def test_the_first_run_shows_the_answer_that_a_gate_sent_back(self, first_run):
        """Below it are the gate's objection, in three lines, and what both answers score."""
        lines = first_run.lines_from(TASK_WITH_REJECTED_ANSWER)

        answer, objection, _, _, scores, *_ = lines
        expected_answer = "answered <COUNT:5>, which was sent back:"
        assert answer == f"{TASK_WITH_REJECTED_ANSWER} {expected_answer}"
        assert objection.startswith("  gate 4 (citations were read): ")
        assert scores == "  score 1.00; without gates the first answer goes out: 0.00"

    def test_the_first_run_shows_the_call_that_the_pre_call_check_held(self, first_run):
        """Below the call are why it was held, and what became of it."""
        lines = first_run.lines_from(TASK_WITH_HELD_CALL)

        call, _why, end, *_ = lines
        assert call.startswith(
            f"{TASK_WITH_HELD_CALL}: a call was held: /bin/discount "
        )
        assert (
            end == "  then: not done; score 1.00; without gates the call is sent: 0.00"
        )
