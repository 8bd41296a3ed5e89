"""`show` prints a report about a run that is over.

A run leaves a journal, a file of JSON lines with one event a line, in the folder `runs`.
`show last` prints from it a table of the trials, the mean score, and commands to type next, and
`--json` prints the same for other programs.
"""

import re
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import ROOT, check_error_line, run_in_process
from tests.support.recorded_run import FAILED_TASKS, RecordedRun
from tests.support.terminal import Terminal


@pytest.fixture
def report(recorded: RecordedRun) -> str:
    """What `show first` prints on 80 columns."""
    return recorded.run_command("show", "first", COLUMNS="80").out


class TestReport:
    """`show first` prints a report about a run of 25 trials, of which five have failed.

    The report on 80 columns, with the reason below each failed trial:

        first · tests.support.many_trials:25 · scripted:crowd.toml  2026...
        trial     score  outcome  steps    time
        seat-005   0.00  OK           3  114 ms
          expected 8; answered 7
        ...
        5 more trials
        mean score 0.800 over 25 of 25 trials
        sent back by gate 6 (wording) ×25
        journal  runs/2026...
        next     .../controlplane replay 2026... --trial seat-005
                 .../controlplane show 2026... --all

    `FAILED_TASKS` are the tasks of the five: seat-005, seat-010 and so on.
    """

    def test_the_report_begins_with_the_run_and_the_names_of_the_columns(
        self, report: str
    ) -> None:
        title, heading, *_ = report.splitlines()

        run = "first · tests.support.many_trials:25 · scripted:crowd.toml  2"
        assert title.startswith(run)
        assert heading.split() == ["trial", "score", "outcome", "steps", "time"]

    def test_the_report_shows_the_20_worst_trials_and_counts_the_rest(
        self, report: str
    ) -> None:
        """The five failed trials come first."""
        table, _, _ = report.partition("\n5 more trials\n")

        shown_trials = re.findall(r"^seat-\d+", table, re.MULTILINE)
        assert len(shown_trials) == 20
        assert shown_trials[:5] == FAILED_TASKS

    def test_a_failed_trial_has_its_reason_below(self, report: str) -> None:
        _title, _heading, worst_trial, reason, *_ = report.splitlines()

        score_outcome_steps_time = r"0\.00  OK +3 +\d+(\.\d)? m?s$"
        assert re.search(score_outcome_steps_time, worst_trial)
        assert reason == "  expected 8; answered 7"

    def test_the_report_ends_with_the_mean_the_rejections_and_commands_to_type(
        self, report: str
    ) -> None:
        """A *gate*, a check of answers, has sent an answer of each trial back to the model."""
        mean, rejections, _journal, replay, show = report.splitlines()[-5:]

        assert mean == "mean score 0.800 over 25 of 25 trials"
        assert rejections == "sent back by gate 6 (wording) ×25"
        assert re.search(r"^next .* replay \S+ --trial seat-005$", replay)
        assert re.search(r" show \S+ --all$", show)

    def test_only_paths_and_commands_are_longer_than_a_line_of_the_terminal(
        self, report: str
    ) -> None:
        """They are the last three lines; to wrap them would make them unusable."""
        for line in report.splitlines()[:-3]:
            assert len(line) <= 80


TOO_SHORT_SCRIPT = """
[[reply]]
state = 'count'
code = 'harness.count()'
"""
"""The model has a single reply, so every trial fails when it asks for a second one.

The reason has more than 80 characters, and ends in "expected 7".
"""


def rows_by_trial(report: str) -> dict[str, list[str]]:
    """Return the rows of a report's table: each trial's own row, and its reason below.

    `{"seat-001": ["seat-001   0.00  ERR_INTERNAL  1  140 ms", "  the model failed: ..."], ...}`
    """
    table, _, _ = report.partition("\nmean score")
    _title, _heading, *rows = table.splitlines()
    rows_of_trials: dict[str, list[str]] = {}
    trial = ""
    for row in rows:
        is_reason = row.startswith(" ")
        if not is_reason:
            trial, _, _ = row.partition(" ")
        rows_of_trials.setdefault(trial, []).append(row)
    return rows_of_trials


REPLY_WITH_SYNTAX_ERROR = """
[[reply]]
state = 'look'
code = 'x = ('
"""


class TestReasons:
    """Below a failed trial, the report has the reason, on one line or two.

    All tries of these runs fail, because their model, a file of replies, has too few, or none
    that can be run. `rows_by_trial(report)["seat-001"]` has the rows of a trial.
    """

    @pytest.mark.parametrize(
        ("columns", "endings"),
        [
            pytest.param(45, ["", "…"], id="two lines, cut off"),
            pytest.param(80, ["", "expected 7"], id="two lines"),
            pytest.param(140, ["expected 7"], id="one line"),
        ],
    )
    def test_the_reason_of_a_failure_takes_at_most_two_lines_below_its_trial(
        self, columns: int, endings: list[str], tmp_path: Path
    ) -> None:
        """`endings` is how each line of the reason ends; "" stands for any ending."""
        (tmp_path / "short.toml").write_text(TOO_SHORT_SCRIPT)
        benchmark = ("--benchmark", "tests.support.many_trials:3")
        command = ("run", *benchmark, "--model", "scripted:short.toml", "--quiet")

        run = run_in_process(*command, cwd=tmp_path, COLUMNS=str(columns))

        trials = rows_by_trial(run.out)
        assert list(trials) == ["seat-001", "seat-002", "seat-003"]
        for trial_row, *reason_rows in trials.values():
            assert re.match(r"seat-00\d +0\.00  (\w+) +\d  +\d+(\.\d)? m?s$", trial_row)
            assert reason_rows[0].startswith("  the model failed")
            for row, ending in zip(reason_rows, endings, strict=True):
                assert row.endswith(ending)
            for row in (trial_row, *reason_rows):
                assert len(row) <= columns

    def test_a_trial_that_repeats_a_refused_script_ends_early_and_says_why(
        self, tmp_path: Path
    ) -> None:
        """The model has nine replies, all with the same syntax error; the trial ends after five."""
        (tmp_path / "stuck.toml").write_text(REPLY_WITH_SYNTAX_ERROR * 9)
        benchmark = ("--benchmark", "tests.support.many_trials:1")
        command = ("run", *benchmark, "--model", "scripted:stuck.toml", "--quiet")
        run = run_in_process(*command, cwd=tmp_path, COLUMNS="")

        shown = run_in_process("show", "last", cwd=tmp_path, COLUMNS="").out

        assert run.code == 0
        trial_row, reason_row, *_ = rows_by_trial(shown)["seat-001"]
        _, _score, _outcome, steps, *_time = trial_row.split()
        assert steps == "5"
        reason = "  the model wrote the same script 5 times in a row, each time r"
        assert reason_row.startswith(reason)


@pytest.fixture(scope="module")
def screen_of_80_trials(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `show` leaves on a terminal of 80 columns and 24 lines for 20 families of 4 trials.

    Family 0 has the score 0, family 1 the score 0.05, and so on to 0.95.
    """
    folder = tmp_path_factory.mktemp("many")
    trials = []
    for family in range(20):
        for number in range(4):
            task = f"family{family}.{number}"
            trials.append(ReportedTrial(task, score=family / 20, details=("not it",)))
    journal_of_trials(folder / "runs" / "many.jsonl", trials, name="many")

    with Terminal("show", "many", cwd=folder, columns=80, rows=24) as terminal:
        assert terminal.finish() == 0
        return terminal.text


class TestScreen:
    """A terminal of 24 lines holds the essentials of a run of 80 trials.

    Twenty families have four trials each. Family 0 has the score 0, family 1 the score 0.05,
    and so on to 0.95.
    """

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("many · ", id="title"),
            pytest.param("family0.0", id="worst trial"),
            pytest.param("not it", id="reason of its failure"),
            pytest.param("more trials", id="number of the trials left out"),
            pytest.param("mean score 0.475", id="mean score"),
            pytest.param("0.00  family0 ×4", id="worst family"),
            pytest.param("next ", id="command to type next"),
            pytest.param(" --all", id="command for the whole table"),
        ],
    )
    def test_a_screen_of_24_lines_holds_the_essentials_of_a_run_of_80_trials(
        self, text: str, screen_of_80_trials: str
    ) -> None:
        """The user should not have to scroll up to learn why trials failed."""
        assert text in screen_of_80_trials


class TestRunAndShow:
    """`run` prints few lines while it plays 25 trials, and at its end the report of `show`.

    `recorded` is that run, named "first": its journal, and what the command has printed.
    """

    def test_run_prints_the_report_that_show_prints(
        self, recorded: RecordedRun
    ) -> None:
        """`run` prints it at its end."""
        shown = recorded.run_command("show", "first")

        assert recorded.printed.out == shown.out

    def test_run_prints_few_lines_of_progress(self, recorded: RecordedRun) -> None:
        """They are printed to standard error, where there is no terminal."""
        lines = recorded.printed.err.splitlines()

        assert re.match(r"run 2\S+: 25 trials$", lines[0])
        assert re.match(
            r"25 of 25 trials over after 0:\d\d, mean score 0.800$", lines[-1]
        )
        assert len(lines) <= 12  # Far less than a line for each of the 25 trials.


def documented_fields() -> list[str]:
    """Return the names in the first column of the tables "One result object" of the reference.

    The table of the run's fields comes first, that of a trial's fields second.
    """
    reference = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    _, _, rest = reference.partition("### One result object")
    section, _, _ = rest.partition("\n### ")
    names = []
    for cell in re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE):
        names += re.findall(r"`(\w+)`", cell)
    return names


class TestJson:
    """`show first --json` prints an object for other programs, which the reference describes.

    `{"name": "first", "score": 0.8, "rejections": {"6/wording": 25}, "trials": [{...}, ...]}`
    `recorded` is the run, in a folder of its own.
    """

    def test_the_json_object_has_the_documented_fields(
        self, recorded: RecordedRun
    ) -> None:
        """The fields of the run, then those of a trial, in the order of the documentation."""
        result = recorded.run_command("show", "first", "--json").json

        trial = result["trials"][0]
        assert [*result, *trial] == documented_fields()

    def test_the_json_object_has_score_end_and_rejections(
        self, recorded: RecordedRun
    ) -> None:
        """20 of 25 trials are right, and the rule "wording" of gate 6 sent an answer of each
        back."""
        result = recorded.run_command("show", "first", "--json").json

        assert result["score"] == 0.8
        assert result["ended"] == "finished"
        assert result["rejections"] == {"6/wording": 25}


class TestFoundRuns:
    """Every command that takes a run finds it by several words.

    The folder has one run, "first", whose id is 2026... (the time of its start).
    `recorded.run_command(...)` runs a command in that folder.
    """

    @pytest.mark.parametrize(
        "word",
        [
            pytest.param("last", id="the newest run"),
            pytest.param("first", id="its name"),
            pytest.param("2", id="a beginning of its id"),
        ],
    )
    def test_a_run_is_found(self, word: str, recorded: RecordedRun) -> None:
        """By its name, by the beginning of its id, and by the word `last`."""
        shown = recorded.run_command("show", word, "--json")

        assert shown.json["name"] == "first"

    def test_a_misspelled_run_is_refused_with_a_suggestion(
        self, recorded: RecordedRun
    ) -> None:
        """The folder has one run, "first"."""
        refused = recorded.run_command("show", "frist")

        check_error_line(refused, UsageError.exit_code, "did you mean 'first'?")
