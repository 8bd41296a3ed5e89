"""`sweep` plays the same tasks under several settings, compares the scores, and repeats nothing.

Its axes combine to runs, which play at the same time. A dry run lists them. A fault in the file, or
a run that could not start, is refused before the first run. A repeated sweep plays or resumes only
what is missing.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from controlplane.sweep import read_sweep
from tests.support.command import CommandRunner, check_error_line

# The file of a sweep, the journals of its runs, and what it prints about their scores.
#
# A sweep plays the same tasks under several settings. The one of these tests has two runs: "base", with
# all gates (checks of answers), and "gates=none".
#
#     means_by_label(result)["gates=none"]["mean"]    ->    0.0


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


def means_by_label(sweep_result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return each run's mean score with its interval: `{"base": {"mean": 1.0, "low": ...}, ...}`.

    Each run is compared with the base: `second_mean` is that of the run, `first_mean` the base's.
    """
    return {run["label"]: run["second_mean"] for run in sweep_result["runs"]}


BASE_JOURNAL = "runs/s-base-cae6.jsonl"


JOURNAL_WITHOUT_GATES = "runs/s-gates-none-42a3.jsonl"
"""The journals of the two runs. Their names end in the beginning of a hash of the settings."""


@pytest.fixture
def file_of_two_runs(tmp_path: Path, script: Path) -> None:
    """The file s.toml in the working folder, a sweep of two runs: "base", and "gates=none"."""
    (tmp_path / "s.toml").write_text(sweep_text(script), encoding="utf-8")


# The file of a sweep names values of settings, which are combined to runs.
#
# A sweep plays the same tasks under several settings, to compare the scores. Its file has the settings
# of all runs in [base], and values to combine in [axes]:
#
#     [axes]
#     max_steps = [5, 9]        three runs: "base", "max_steps=5" and "max_steps=9"

TWO_AXES = """
name = "s"
tasks = ["calendar-date"]
[base]
seed = 3
gates = "all"
[axes]
gates = ["none", "all"]
max_steps = [5, 9]
"""
"""The value "all" of gates is that of the base run already."""


def test_a_sweep_combines_its_axes_without_repeating_a_run(tmp_path: Path) -> None:
    """Gates are none or those of the base; steps are 5, 9 or those of the base: six runs."""
    file = tmp_path / "s.toml"
    file.write_text(TWO_AXES, encoding="utf-8")

    runs_by_label = read_sweep(file)

    assert list(runs_by_label) == [
        "base",
        "max_steps=5",
        "max_steps=9",
        "gates=none",
        "gates=none, max_steps=5",
        "gates=none, max_steps=9",
    ]


# `sweep s.toml` plays the same tasks under several settings, and compares the scores.
#
# The file s.toml says that three tasks are played twice: with all gates (checks of answers), and with
# `gates = ["none"]`. In each task, the model answers "OUTCOME_OK" first, which is wrong, and then "7".
# Gates send the first answer back; without gates, it counts.


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


# A sweep is refused before its first run if any of its runs could not start.
#
# `sweep s.toml` plays the same tasks once for each value in [axes]. Here the base run could start, and
# the run of the last value could not:
#
#     gates = ["none", "9"]    ->    s.toml, gates=9: --gates: '9' is not a gate


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
    (tmp_path / "s.toml").write_text(sweep_text(script, axes=axes), encoding="utf-8")

    refused = run_command_here("sweep", "s.toml")

    check_error_line(refused, UsageError.exit_code, message_part)
    assert not (tmp_path / "runs").exists()


# The file of a sweep varies nothing, or what all of its runs share.
#
# `sweep s.toml` plays the same tasks under several settings: values to combine in [axes], and single
# runs in [[runs]]. The runs are compared by what they do to the same tasks, so they may not differ in
# the seed:
#
#     [axes]
#     seed = [1, 2]    ->    ... seed is not allowed there: the runs of a sweep share it


@pytest.mark.parametrize(
    ("lines", "message_part"),
    [
        pytest.param(
            "[axes]\nseed = [1, 2]",
            "seed is not allowed there: the runs of a sweep share it",
            id="seeds to vary",
        ),
        pytest.param(
            "[[runs]]\nseed = 2",
            "the runs of a sweep share it",
            id="a seed of one run",
        ),
        pytest.param(
            '[base]\nname = "x"\n[axes]\ngates = ["none"]',
            "name is not allowed there: the sweep sets it",
            id="a name for all runs",
        ),
        pytest.param(
            "",
            "a sweep needs variations: give [axes] or [[runs]]",
            id="nothing to vary",
        ),
        pytest.param("[axes]", "a sweep needs variations", id="no axis"),
    ],
)
def test_a_fault_in_a_sweep_file_is_refused_by_file_and_key_of_settings_of_all_runs(
    lines: str, message_part: str, tmp_path: Path
) -> None:
    """`lines` is what the file has below its first line, `name = "s"`."""
    file = tmp_path / "s.toml"
    file.write_text(f'name = "s"\n{lines}', encoding="utf-8")

    with pytest.raises(UsageError) as refusal:
        read_sweep(file)

    assert "s.toml" in str(refusal.value)
    assert message_part in str(refusal.value)


# The runs of a sweep play at the same time.
#
# `sweep s.toml` plays the same tasks under several settings, here a base run and one without checks of
# answers. The one starts before the other has ended.


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


def test_the_runs_of_a_sweep_play_at_the_same_time(
    script: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Every call takes 0.3 s, so that each run lasts: one starts before the other has ended."""
    slow_calls = "set = {seconds = '0.3'}"
    text = sweep_text(script, base=slow_calls)
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")

    assert run_command_here("sweep", "s.toml", "--quiet").code == 0

    base_start, base_end = start_and_end_of_trials(tmp_path / BASE_JOURNAL)
    other_start, other_end = start_and_end_of_trials(tmp_path / JOURNAL_WITHOUT_GATES)
    assert base_start < other_end
    assert other_start < base_end


# The file of a sweep has a setting or key that does not exist, or a value that no run takes.
#
# `sweep s.toml` plays the same tasks under several settings. The file has the settings of all runs in
# [base], values to combine in [axes], and single runs in [[runs]]:
#
#     [axes]
#     gats = ["none"]    ->    ... [axes] there is no setting 'gats'; did you mean 'gates'


@pytest.mark.parametrize(
    ("lines", "message_part"),
    [
        pytest.param(
            '[axes]\ngats = ["none"]',
            "[axes] there is no setting 'gats'; did you mean 'gates'",
            id="no such setting to vary",
        ),
        pytest.param(
            '[base]\nsed = 1\n[axes]\ngates = ["none"]',
            "[base] there is no setting 'sed'",
            id="no such setting of all runs",
        ),
        pytest.param(
            '[[runs]]\ngats = "none"',
            "[runs] there is no setting 'gats'",
            id="no such setting of a run",
        ),
        pytest.param(
            'axis = 1\n[axes]\ngates = ["none"]',
            "axis: there is no such key; did you mean 'axes'",
            id="no such key",
        ),
        pytest.param(
            "[axes]\nmax_steps = [0]",
            "s.toml, max_steps=0: --max-steps",
            id="a wrong value",
        ),
    ],
)
def test_a_fault_in_a_sweep_file_is_refused_by_file_and_key(
    lines: str, message_part: str, tmp_path: Path
) -> None:
    """`lines` is what the file has below its first line, `name = "s"`."""
    file = tmp_path / "s.toml"
    file.write_text(f'name = "s"\n{lines}', encoding="utf-8")

    with pytest.raises(UsageError) as refusal:
        read_sweep(file)

    assert "s.toml" in str(refusal.value)
    assert message_part in str(refusal.value)


# The file of a sweep is not TOML, or its name cannot be that of a file.
#
# The journals of its runs are called after it: `name = "s"` leads to runs/s-base-cae6.jsonl.


def test_a_sweep_whose_name_cannot_be_that_of_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('name = "a/b"\n[axes]\ngates = ["none"]', encoding="utf-8")

    with pytest.raises(UsageError, match=r"s\.toml.*letters, digits"):
        read_sweep(file)


def test_a_sweep_file_that_is_not_toml_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("name = ", encoding="utf-8")

    with pytest.raises(UsageError, match=r"s\.toml.*is not TOML"):
        read_sweep(file)


# A sweep that is repeated plays only what is not recorded yet.
#
# `sweep s.toml` plays three tasks with all checks of answers, and without: `gates=none`. Each of
# the two runs has a journal named after its settings, such as `runs/s-gates-none-42a3.jsonl`.


def contents_by_name(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder's files, as in `{"a.jsonl": b"..."}`."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("file_of_two_runs")
def test_a_repeated_sweep_prints_the_comparison_and_plays_nothing_again(
    run_command_here: CommandRunner, tmp_path: Path
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
    run_command_here: CommandRunner, tmp_path: Path
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
