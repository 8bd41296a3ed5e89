"""Accidents around a run, such as a full disk, a removed folder or a second process, lose nothing that was recorded."""

import itertools
import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controlplane.errors import JournalUnwritable
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.run_events import JournalEvent, RunClosed
from controlplane.lifecycle.run_lifecycle import reopen_run
from controlplane.replay.verification import verify
from tests.support.command import (
    ROOT,
    Result,
    Type,
    check_line,
    command,
    inside,
    on_a_full_disk,
    started,
    wait_until,
)
from tests.support.phonebook import PLAYED as PHONEBOOK


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk that is soon full")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def check_resumable(journal: Path, recorded: int, cwd: Path) -> None:
    """Assert that the record is kept and that the run resumes from it."""
    content = open_journal(journal)
    assert content.length >= recorded
    resumed = inside("resume", journal, "--json", cwd=cwd)
    assert resumed.code == 0, resumed.err
    assert all(trial["score"] is not None for trial in resumed.json["trials"])
    assert inside("replay", journal, "--verify", cwd=cwd).code == 0


MANY = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")


def test_a_full_disk_keeps_what_was_recorded(full_disk: Path, tmp_path: Path) -> None:
    result = inside(*MANY, "--runs-dir", full_disk, cwd=tmp_path)
    check_line(result, 3, "cannot write the journal", "No space left on device", "resumable")
    subprocess.run(["mount", "-o", "remount,size=8m", full_disk], check=True)
    check_resumable(next(full_disk.glob("*.jsonl")), 20_000, tmp_path)


def test_a_journal_that_may_only_be_read_is_told_with_what_to_do(full_disk: Path, tmp_path: Path) -> None:
    inside(*MANY, "--runs-dir", full_disk, cwd=tmp_path)
    subprocess.run(["mount", "-o", "remount,ro", full_disk], check=True)
    (journal,) = full_disk.glob("*.jsonl")
    resumed = inside("resume", journal, cwd=tmp_path)
    check_line(resumed, 3, "cannot write the journal", "Read-only file system", "copy it to where you may write")


@contextmanager
def running(folder: Path, *, trials_over: int) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Start a run of a few seconds; yield it and its journal once so many trials are over; stop it afterwards."""
    process = started(*MANY, "--set", "delay_s=0.2", cwd=folder)
    with process:
        try:
            ended, runs = b'"type":"trial_ended"', folder / "runs"
            wait_until(lambda: any(path.read_bytes().count(ended) >= trials_over for path in runs.glob("*.jsonl")))
            yield process, next(runs.glob("*.jsonl"))
        finally:
            process.kill()


def test_a_run_whose_folder_is_removed_ends(tmp_path: Path) -> None:
    with running(tmp_path, trials_over=2) as (process, _):
        shutil.rmtree((tmp_path / "runs").rename(tmp_path / "gone"))  # nothing is written meanwhile
        out, err = process.communicate(timeout=60)
    check_line(Result(process.returncode, out, err), 3, "was removed while it was being written")


def test_two_processes_cannot_go_on_with_the_same_run(tmp_path: Path, type_in: Type) -> None:
    with running(tmp_path, trials_over=1) as (process, journal):
        check_line(type_in("resume", str(journal)), 2, "another process is writing", "stop it first")
        for verb in (("submit", "--force"), ("poll",)):
            check_line(
                type_in(*verb, str(journal)), 2, "another process is conducting", "follow it with", "show", "--follow"
            )
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 0, err
    assert inside("replay", journal, "--verify", cwd=tmp_path).code == 0


PRINTING = [("benchmarks", "list"), ("show", ROOT / "runs/sample.jsonl", "--json"), ("--version",)]


@pytest.mark.parametrize("words", PRINTING)
def test_a_result_that_cannot_be_printed_is_told_in_one_line(words: tuple[str | Path, ...], tmp_path: Path) -> None:
    result = on_a_full_disk(command(words), tmp_path)
    check_line(result, 3, "the result cannot be printed: No space left on device")


def test_a_run_whose_end_cannot_be_written_down_is_summed_up_all_the_same(
    type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = JournalWriter.write

    def full_at_the_end(journal: JournalWriter, event: JournalEvent) -> None:
        if isinstance(event, RunClosed):
            raise JournalUnwritable("cannot write the journal: No space left on device")
        write(journal, event)

    monkeypatch.setattr(JournalWriter, "write", full_at_the_end)
    result = type_in("run", *PHONEBOOK, "ada", "--quiet")
    check_line(result, 3, "No space left on device")
    assert "mean score 1.000 over 1 of 1 trial" in result.out
    journal = next(Path().glob("runs/*.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(itertools.takewhile(lambda line: b'"type":"run_submitted"' not in line, lines)))
    submitted = type_in("submit", str(journal), "--quiet")
    assert "mean score 1.000 over 1 of 1 trial" in submitted.out
    check_line(submitted, 3, "No space left on device")


def test_a_killed_run_of_the_embedded_benchmark_resumes_to_the_scores_of_one_that_was_not(
    tmp_path: Path, heavy: bool
) -> None:
    chance = random.Random(5)
    flags = ("run", "--quiet", "--concurrency", "4", "--limit", "24" if heavy else "5")
    for number in range(40 if heavy else 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        whole = inside(*flags, "--seed", str(number), "--json", cwd=folder)
        (folder / "runs").rename(folder / "whole")
        process = started(*flags, "--seed", str(number), cwd=folder)
        wait_until(lambda at=folder: any(b'"type":"run_started"' in path.read_bytes() for path in at.glob("runs/*")))
        time.sleep(chance.uniform(0.1, 1.0))
        process.kill()
        process.communicate()
        (journal,) = folder.glob("runs/*.jsonl")
        assert inside("resume", "last", "--json", cwd=folder).code == whole.code
        summary = open_journal(journal).summary
        scores = {trial.task_id: trial.score for trial in summary.trials.values()}
        assert scores == {trial["task_id"]: trial["score"] for trial in whole.json["trials"]}
        assert inside("replay", "last", "--verify", cwd=folder).code == 0


def resumed(path: Path) -> Journal:
    """Resume the run of the journal in this process."""
    with reopen_run(path, works=True) as (run, resume_states):
        run.work(resume_states)
        run.submit()
        run.close()
    return open_journal(path)


def test_a_journal_cut_behind_any_line_resumes_to_the_same_steps_and_scores(tmp_path: Path, heavy: bool) -> None:
    script = ROOT / "tests/support/phonebook.toml"
    flags = ("--benchmark", "tests.support.phonebook", "--model", f"scripted:{script}", "--concurrency", "1")
    inside("run", *flags, "ada", "grace", cwd=tmp_path)
    (whole,) = tmp_path.glob("runs/*.jsonl")
    lines = whole.read_bytes().splitlines(keepends=True)
    expected = open_journal(whole)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    for cut in range(began + 1, len(lines), 1 if heavy else 12):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]) + lines[cut][: len(lines[cut]) // 2])
        content = resumed(path)
        assert content.summary.scores == expected.summary.scores, cut
        for name, record in expected.trials.items():
            told = [(step.code, step.output, step.verdicts) for step in content.trials[name].steps]
            assert told == [(step.code, step.output, step.verdicts) for step in record.steps], (cut, name)
        assert verify(content, list(content.trials)).steps == 5
