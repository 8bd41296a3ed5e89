"""`show` and the report at a run's end: worst first, 80 columns, and the commands to type next."""

import re
from pathlib import Path

import pytest

from tests.support.command import ROOT, Result, controlplane, started
from tests.support.in_process_command import inside
from tests.support.many_trials import wait_for_turns


def test_the_report_shows_the_worst_twenty_and_counts_the_rest(recorded: tuple[Path, Result]) -> None:
    done = inside("show", "first", cwd=recorded[0], COLUMNS="80")
    lines = [each.rstrip() for each in done.out.splitlines()]
    assert lines[0].split() == ["trial", "score", "outcome", "steps", "time", "why"]
    wrong = ["seat-005", "seat-010", "seat-015", "seat-020", "seat-025"]
    assert [each.split()[0] for each in lines[1:8]] == [*wrong, "seat-001", "seat-002"]
    assert re.search(r"0\.00  ok +3 +\d+(\.\d)? m?s  expected 8$", lines[1])
    assert lines[21] == "and 5 trials more, each with score 1.00"
    assert lines[22:24] == [
        "mean score 0.800 over 25 of 25 trials",
        "sent back by gate 6 (wording) ×25, gate 8 (answer-form) ×25",
    ]
    assert max(len(each) for each in lines[:24]) <= 80
    assert re.search(r"^next .* replay \S+ --trial seat-005$", lines[25])
    assert re.search(r" show \S+ --all$", lines[26])


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_long_reasons_are_cut_and_every_other_column_stays_whole(columns: str, tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text("[[reply]]\nstate = 'count'\ncode = 'harness.count()'\n")
    crowd = ("--benchmark", "tests.support.many_trials:3", "--model", "scripted:short.toml")
    done = inside("run", *crowd, "--quiet", cwd=tmp_path, COLUMNS=columns)
    head, *rows = [each.rstrip() for each in done.out.splitlines()[:4]]
    assert head.split() == ["trial", "score", "outcome", "steps", "time", "why"]
    assert max(map(len, rows)) <= int(columns)
    shape = r"seat-00\d +0\.00  (\w+) +\d  +\d+(\.\d)? m?s  the model failed[^…]+…$"
    assert [each for each in rows if not re.match(shape, each)] == []


def test_in_a_pipe_of_no_known_width_nothing_is_cut(tmp_path: Path) -> None:
    script = tmp_path / f"{'long' * 20}.toml"
    script.write_text("[[reply]]\nstate = 'look'\ncode = '1'\n")
    crowd = ("--benchmark", "tests.support.many_trials:1", "--model", f"scripted:{script.name}")
    report = inside("run", *crowd, "--quiet", cwd=tmp_path, COLUMNS="").out
    assert re.search(r"  the model failed: the script of replies has none for turn 2 of this trial\b[^…]*\n", report)
    assert script.name in inside("runs", cwd=tmp_path, COLUMNS="").out


def test_a_window_of_no_columns_is_one_of_unknown_width(recorded: tuple[Path, Result]) -> None:
    assert (
        inside("show", "first", cwd=recorded[0], COLUMNS="0").out
        == inside("show", "first", cwd=recorded[0], COLUMNS="").out
    )


@pytest.mark.parametrize("command", [("show", "first"), ("replay", "first"), ("runs",)])
def test_no_line_in_a_pipe_ends_in_blanks(command: tuple[str, ...], recorded: tuple[Path, Result]) -> None:
    lines = inside(*command, cwd=recorded[0]).out.splitlines()
    assert [each for each in lines if each != each.rstrip()] == []


def test_all_shows_every_trial(recorded: tuple[Path, Result]) -> None:
    done = inside("show", "first", "--all", cwd=recorded[0])
    assert done.out.count("seat-") == 26  # once more in the suggested command


def test_the_run_prints_the_same_report_and_few_lines_of_progress(recorded: tuple[Path, Result]) -> None:
    folder, done = recorded
    assert done.out == inside("show", "first", cwd=folder).out
    lines = done.err.splitlines()
    assert re.match(r"run 2\S+: 25 trials$", lines[0])
    assert re.match(r"25 of 25 trials over after 0:\d\d, mean score 0.800$", lines[-1])
    assert len(lines) <= 12


@pytest.mark.parametrize(("flags", "is_silent"), [(("--quiet",), True), (("--json",), True), ((), False)])
def test_quiet_and_json_say_nothing_on_the_way(
    flags: tuple[str, ...], is_silent: bool, script: Path, tmp_path: Path
) -> None:
    crowd = ("--benchmark", "tests.support.many_trials:2", "--model", f"scripted:{script}")
    done = inside("run", *crowd, *flags, cwd=tmp_path)
    assert done.code == 0
    assert (done.err == "") == is_silent


def test_repeated_tasks_are_told_apart_and_can_be_replayed(script: Path, tmp_path: Path) -> None:
    crowd = ("--benchmark", "tests.support.many_trials:9", "--model", f"scripted:{script}")
    done = inside("run", "seat-005", "--repeats", "2", *crowd, cwd=tmp_path)
    assert [each.split()[0] for each in done.out.splitlines()[1:3]] == ["seat-005-t0", "seat-005-t1"]
    assert " --trial seat-005-t0" in done.out


def test_a_terminal_without_unicode_gets_marks_that_can_be_told_apart(
    recorded: tuple[Path, Result], tmp_path: Path
) -> None:
    step = ("replay", "first", "--trial", "seat-005", "--step", "2")
    done = controlplane(*step, cwd=recorded[0], PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^gates \+ .* \+ - \S  sent back", done.out, re.MULTILINE)
    other = controlplane("runs", "--runs-dir", "é…", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert other.out.startswith("no journals in ?~; ")


def test_a_run_that_goes_on_elsewhere_is_to_be_followed_not_resumed(script: Path, tmp_path: Path) -> None:
    flags = ("--benchmark", "tests.support.many_trials:3", "--model", f"scripted:{script}", "--set", "seconds=30")
    with started("run", *flags, cwd=tmp_path) as running:
        wait_for_turns(tmp_path, 3)
        shown = inside("show", "last", cwd=tmp_path).out
        running.kill()
        running.communicate(timeout=30)
    assert re.search(r"^next .* tail 2", shown, re.MULTILINE)
    assert " resume " not in shown
    assert shown.count(" running ") == 3
    shown = inside("show", "last", cwd=tmp_path).out
    assert re.search(r"^next .* resume 2", shown, re.MULTILINE)
    assert shown.count(" open ") == shown.count("cut off") == 3


def test_the_json_object_has_the_documented_fields(recorded: tuple[Path, Result]) -> None:
    found = inside("show", "first", "--json", cwd=recorded[0]).json
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8").partition("\n## Events")[0]
    documented = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    documented.remove("estimate")  # It is printed by `run` and `rerun` alone.
    assert documented == [*found, *found["trials"][0]]
    assert (found["score"], found["ended"], found["rejections"]) == (
        0.8,
        "finished",
        {"6/wording": 25, "8/answer-form": 25},
    )


def test_one_is_spoken_of_as_one(script: Path, tmp_path: Path) -> None:
    crowd = ("--benchmark", "tests.support.many_trials:1", "--model", f"scripted:{script}")
    assert "1 of 1 trial over" in inside("run", *crowd, cwd=tmp_path).err
    assert inside("replay", "last", "--verify", cwd=tmp_path).out.startswith("1 trial, 3 steps: everything")


def test_a_trial_that_repeats_what_is_refused_ends_early_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "stuck.toml").write_text("[[reply]]\nstate = 'look'\ncode = 'import socket'\n" * 9)
    crowd = ("--benchmark", "tests.support.many_trials:1", "--model", "scripted:stuck.toml")
    ran = inside("run", *crowd, "--quiet", cwd=tmp_path, COLUMNS="")
    assert ran.code == 0
    row = next(each for each in inside("show", "last", cwd=tmp_path, COLUMNS="").out.splitlines() if "seat" in each)
    assert re.search(r"\b5 +\d+(\.\d)? m?s  the model wrote the same script 5 times in a row, each time refused", row)


def test_a_run_without_a_model_says_so_and_what_that_shows(recorded: tuple[Path, Result], tmp_path: Path) -> None:
    told = "no model played: the benchmark's own rules did"
    assert told in inside("run", "calendar-date.1", "--quiet", cwd=tmp_path).out
    assert told not in inside("show", "first", cwd=recorded[0]).out
