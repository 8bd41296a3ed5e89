"""`tail`: a run's events as they come, until it is closed or its process is gone."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.journal.journal_writer import JournalWriter
from tests.support.command import Result, environment, started
from tests.support.in_process_command import inside
from tests.support.many_trials import wait_for_turns


def test_a_finished_run_is_told_in_lines(recorded: tuple[Path, Result]) -> None:
    done = inside("tail", "first", cwd=recorded[0])
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert re.match(r"\d\d:\d\d:\d\d run 2\S+: tests.support.many_trials:25, model scripted:crowd.toml$", lines[0])
    told = [each[9:] for each in lines if "seat-005  " in each]
    assert told[:3] == [
        "seat-005  started: How many are there? Number only.",
        "seat-005  step 1, 1 call · count",
        "seat-005  step 2, 0 calls, sent back by gate 6 (wording), gate 8 (answer-form) · answer without words",
    ]
    assert "seat-005  score 0.00: expected 8" in told[-2:]
    assert lines[-1].endswith("closed: finished, exit code 0")


def test_json_lines_are_the_journals_events_with_their_texts(recorded: tuple[Path, Result]) -> None:
    done = inside("tail", "first", "--json", cwd=recorded[0])
    events = [json.loads(each) for each in done.out.splitlines()]
    assert (events[0]["type"], events[-1]["type"]) == ("run_opened", "run_closed")
    opened = next(each for each in events if each["type"] == "conversation_opened")
    assert opened["system"].startswith("You solve one task")


def test_a_running_run_is_followed_to_its_end(script: Path, tmp_path: Path) -> None:
    flags = ("--benchmark", "tests.support.many_trials:3", "--model", f"scripted:{script}", "--set", "seconds=0.4")
    with started("run", *flags, cwd=tmp_path) as running:
        wait_for_turns(tmp_path)
        done = inside("tail", "last", cwd=tmp_path)
        running.communicate(timeout=30)
    assert "closed: finished, exit code 0" in done.out.splitlines()[-1]


def test_a_run_whose_process_is_gone_is_not_waited_for(script: Path, tmp_path: Path) -> None:
    flags = ("--benchmark", "tests.support.many_trials:3", "--model", f"scripted:{script}", "--set", "seconds=30")
    with started("run", *flags, cwd=tmp_path) as running:
        wait_for_turns(tmp_path)
        assert "running" in inside("runs", cwd=tmp_path).out
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=30)
    done = inside("tail", "last", cwd=tmp_path)
    assert done.err.strip() == "the process of this run is gone; the journal ends here"
    assert "cut off" in inside("runs", cwd=tmp_path).out


@pytest.mark.parametrize("text", ["", '{"prev":"', "hello"])
@pytest.mark.parametrize("flags", [(), ("--no-follow",), ("--json",)])
def test_a_file_without_a_whole_line_is_no_journal(text: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_text(text)
    done = inside("tail", "some.jsonl", *flags, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "controlplane: some.jsonl is no journal: it holds no whole line of one\n"


def test_a_journal_that_is_just_being_made_is_followed(recorded: tuple[Path, Result], tmp_path: Path) -> None:
    lines = next((recorded[0] / "runs").glob("*.jsonl")).read_bytes()
    with JournalWriter(tmp_path / "new.jsonl", create=True), started("tail", "new.jsonl", cwd=tmp_path) as following:
        with pytest.raises(subprocess.TimeoutExpired):
            following.communicate(timeout=2)
        (tmp_path / "new.jsonl").write_bytes(lines)
        out, err = following.communicate(timeout=20)
    assert (following.returncode, err) == (0, "")
    assert "closed: finished, exit code 0" in out.splitlines()[-1]


def test_a_reader_that_goes_away_ends_it_without_a_word(recorded: tuple[Path, Result]) -> None:
    line = f"{sys.executable} -m controlplane tail first | head -1"
    done = subprocess.run(
        ["sh", "-c", line], cwd=recorded[0], env=environment(), capture_output=True, text=True, timeout=30, check=False
    )
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
