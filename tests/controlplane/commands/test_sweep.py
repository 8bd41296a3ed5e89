"""`sweep` plays the same tasks under several settings, and compares the scores.

`sweep s.toml` reads from a file which settings vary, such as `gates = ["none"]`, plays a run for each
value, and prints for which tasks the score is better or worse than in the base run. Runs that are
recorded already are not played again.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line


def sweep_text(script: Path, *, base: str = "", axes: str = 'gates = ["none"]') -> str:
    """Return a sweep file with three tasks for a model that replies with a script's steps.

    `base` is a further setting of all runs, `axes` what the runs differ in. As it is, there are
    two runs: the base with all gates, and one without gates.
    """
    return f"""
name = "s"
[base]
benchmark = "tests.support.many_trials:3"
model = "scripted:{script}"
{base}
[axes]
{axes}
"""


@pytest.fixture
def file_of_two_runs(tmp_path: Path, script: Path) -> None:
    """The file s.toml in the working folder, a sweep of two runs: "base", and "gates=none"."""
    (tmp_path / "s.toml").write_text(sweep_text(script), encoding="utf-8")


def means_by_label(sweep_result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return each run's mean score with its interval: `{"base": {"mean": 1.0, "low": ...}, ...}`.

    Each run is compared with the base: `second_mean` is that of the run, `first_mean` the base's.
    """
    return {run["label"]: run["second_mean"] for run in sweep_result["runs"]}


BASE_JOURNAL = "runs/s-base-cae6.jsonl"
JOURNAL_WITHOUT_GATES = "runs/s-gates-none-42a3.jsonl"
"""The journals of the two runs. Their names end in the beginning of a hash of the settings."""


def start_and_end_of_trials(journal: Path) -> tuple[int, int]:
    """Return when a run's first trial started and its last one ended, in milliseconds."""
    starts = []
    ends = []
    for line in journal.read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["type"] == "trial_started":
            starts.append(event["at_ms"])
        elif event["type"] == "trial_ended":
            ends.append(event["at_ms"])
    return min(starts), max(ends)


class TestSweepOfTwoRuns:
    """A sweep plays three tasks twice: with all gates, and with `gates = ["none"]`.

    In each task, the model answers "OUTCOME_OK" first, which is wrong, and then "7". Gates,
    the checks of answers, send the first answer back. Without gates it counts. The base run
    has the label "base", the other one "gates=none". `script` is the file with the replies of
    the model.
    """

    @pytest.mark.usefixtures("file_of_two_runs")
    def test_a_dry_run_of_a_sweep_lists_its_runs_without_playing_them(
        self, run_command_here: CommandRunner
    ) -> None:
        """Each line has the name of the run, and in what it differs from the base."""
        listed = run_command_here("sweep", "s.toml", "--dry-run")

        assert listed.out.splitlines() == [
            "s-base-cae6  base",
            "s-gates-none-42a3  gates=none",
        ]

    @pytest.mark.usefixtures("file_of_two_runs")
    def test_a_sweep_plays_its_runs_and_compares_them(
        self, run_command_here: CommandRunner
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

    def test_the_runs_of_a_sweep_play_at_the_same_time(
        self, script: Path, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """Every call takes 0.3 s, so that each run lasts: one starts before the other has ended."""
        slow_calls = "set = {seconds = '0.3'}"
        text = sweep_text(script, base=slow_calls)
        (tmp_path / "s.toml").write_text(text, encoding="utf-8")

        assert run_command_here("sweep", "s.toml", "--quiet").code == 0

        base_start, base_end = start_and_end_of_trials(tmp_path / BASE_JOURNAL)
        other_start, other_end = start_and_end_of_trials(
            tmp_path / JOURNAL_WITHOUT_GATES
        )
        assert base_start < other_end
        assert other_start < base_end


def contents_by_name(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder's files, as in `{"a.jsonl": b"..."}`."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class TestRepeatedSweep:
    """A sweep that is repeated plays only what is not recorded yet.

    The sweep has a base run with all checks of answers, and one without: `gates=none`. Each has
    a journal named after its settings, such as `runs/s-gates-none-42a3.jsonl`.
    """

    @pytest.mark.usefixtures("file_of_two_runs")
    def test_a_repeated_sweep_prints_the_comparison_and_plays_nothing_again(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """The journals of the first sweep stay as they are, byte for byte."""
        result = run_command_here("sweep", "s.toml", "--json").json
        journals = contents_by_name(tmp_path / "runs")

        printed = run_command_here("sweep", "s.toml").out
        repeated_result = run_command_here("sweep", "s.toml", "--json").json

        assert "gates=none" in printed
        assert printed.count("0 better, 3 worse, 0 equal · difference -1.000") == 1
        assert repeated_result == result
        assert contents_by_name(tmp_path / "runs") == journals

    @pytest.mark.usefixtures("file_of_two_runs")
    def test_a_repeated_sweep_resumes_a_run_that_was_cut_off_and_plays_a_missing_one(
        self, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """After a first sweep, half of one journal is cut off, and the other is deleted."""
        whole_sweep = run_command_here("sweep", "s.toml", "--json").json

        base_journal = tmp_path / BASE_JOURNAL
        lines = base_journal.read_bytes().splitlines(keepends=True)
        first_half = lines[: len(lines) // 2]
        base_journal.write_bytes(b"".join(first_half))
        (tmp_path / JOURNAL_WITHOUT_GATES).unlink()

        repeated_sweep = run_command_here("sweep", "s.toml", "--quiet", "--json").json

        assert means_by_label(repeated_sweep) == means_by_label(whole_sweep)
        assert run_command_here("replay", "s-base", "--verify").code == 0


class TestRefusedSweeps:
    """The base run of a sweep could start, and another run of it could not.

    The sweep plays three tasks once for each value in [axes], such as `gates = ["none", "9"]`.
    All runs are checked before the first one is played. `script` is the file with the replies
    of the model.
    """

    @pytest.mark.parametrize(
        ("axes", "message_part"),
        [
            pytest.param(
                'gates = ["none", "9"]',
                "s.toml, gates=9: --gates: '9' is not a gate",
                id="no such gate",
            ),
            pytest.param(
                'gates = ["none"]\nparts = ["+evidence-store"]',
                "s.toml, parts=+evidence-store: --parts '+evidence-store': the solver 'cited' has",
                id="a part that another solver has",
            ),
        ],
    )
    def test_a_sweep_is_refused_before_its_first_run_if_any_run_cannot_start(
        self,
        axes: str,
        message_part: str,
        script: Path,
        run_command_here: CommandRunner,
        tmp_path: Path,
    ) -> None:
        """Otherwise the first runs would cost money, and the comparison would never be complete.

        In each case the base could start, and the run of the last value could not. `parts` switches
        parts of a solver on or off; "evidence-store" is one that the usual solver does not have.
        """
        (tmp_path / "s.toml").write_text(
            sweep_text(script, axes=axes), encoding="utf-8"
        )

        refused = run_command_here("sweep", "s.toml")

        check_error_line(refused, UsageError.exit_code, message_part)
        assert not (tmp_path / "runs").exists()
