"""What was written is read back, every change of it is found, and the digest of a journal is that of its events."""

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from controlplane import Journal
from controlplane.errors import ControlPlaneError, JournalDamaged, NotAJournal, UsageError
from controlplane.journal.journal_lines import GENESIS, json_of, line_of
from controlplane.journal.journal_reader import open_journal
from tests.support.command import ROOT, Result
from tests.support.scored_journal import EVENTS, read_events, written


def test_every_byte_edited_anywhere_is_found(tmp_path: Path, heavy: bool) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole = path.read_bytes()
    edited = tmp_path / "edited.jsonl"
    for at in range(0, len(whole), 1 if heavy else 7):
        edited.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            with open_journal(edited) as journal:
                is_other_mark = not journal.is_own and list(read_events(edited)) == EVENTS
        except (JournalDamaged, NotAJournal):
            continue
        assert is_other_mark, at


def test_a_journal_cut_anywhere_gives_the_whole_lines_before_the_cut(tmp_path: Path, heavy: bool) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole = path.read_bytes()
    first_line = whole.index(b"\n") + 1
    cut = tmp_path / "cut.jsonl"
    for at in range(0, len(whole), 1 if heavy else 7):
        cut.write_bytes(whole[:at])
        if at < first_line:
            with pytest.raises(ControlPlaneError):
                list(read_events(cut))
            continue
        events = list(read_events(cut))
        assert events == EVENTS[: len(events)]
        with open_journal(cut) as journal:
            assert journal.is_torn == (not whole[:at].endswith(b"\n"))


def test_lines_swapped_or_removed_are_found(tmp_path: Path) -> None:
    lines = written(tmp_path / "r.jsonl", EVENTS).read_bytes().splitlines(keepends=True)
    edited = tmp_path / "edited.jsonl"
    for number in range(1, len(lines) - 1):
        for text in (lines[:number] + lines[number + 1 :], [*lines[:number], lines[number + 1], lines[number]]):
            edited.write_bytes(b"".join(text))
            with pytest.raises(JournalDamaged):
                list(read_events(edited))


SAMPLE = ROOT / "runs/sample.jsonl"


@pytest.fixture(params=["recorded", "sample", "all forms"])
def path(request: pytest.FixtureRequest, recorded: tuple[Path, Result], tmp_path: Path) -> Path:
    if request.param == "recorded":
        return next((recorded[0] / "runs").glob("*.jsonl"))
    return SAMPLE if request.param == "sample" else written(tmp_path / "forms.jsonl", EVENTS)


def trial_of(event: object) -> str:
    return getattr(event, "trial_id", "")


def test_each_trial_holds_its_events_as_they_stand_in_the_whole_journal(path: Path) -> None:
    whole = sorted(read_events(path), key=trial_of)
    by_trial = {name: list(events) for name, events in groupby(whole, key=trial_of)}
    with open_journal(path) as journal:
        assert list(journal.events_of_run()) == by_trial.pop("", [])
        assert {name: list(each.events()) for name, each in journal.trials.items() if each.has_begun} == by_trial


def test_a_text_that_was_changed_under_a_new_chain_is_found_when_it_is_read(tmp_path: Path) -> None:
    data, previous = b"", GENESIS
    for each in SAMPLE.read_bytes().splitlines():
        fields = {name: value for name, value in json.loads(each).items() if name not in ("prev", "hash")}
        if fields["type"] == "text":
            fields["text"] += " and more"
        line, previous = line_of(json_of(fields), previous)
        data += line
    (forged := tmp_path / "forged.jsonl").write_bytes(data)
    with pytest.raises(JournalDamaged, match="does not match its key"):
        [list(trial.events()) for trial in open_journal(forged).trials.values()]


def test_trials_are_found_by_the_beginning_of_an_id_or_a_task(recorded: tuple[Path, Result]) -> None:
    journal: Journal = open_journal(next((recorded[0] / "runs").glob("*.jsonl")))
    first = next(iter(journal.trials))
    assert journal.find_trial(journal.trials[first].task_id) == first == journal.find_trial(first)
    with pytest.raises(UsageError, match="fits several"):
        journal.find_trial("seat-01")
    with pytest.raises(UsageError, match="did you mean"):
        journal.find_trial("saet-001")


def test_a_closed_journal_says_so_and_a_forgotten_one_lets_go_of_its_file() -> None:
    journal = open_journal(SAMPLE)
    trial = next(iter(journal.trials.values()))
    journal.close()
    journal.close()
    with pytest.raises(JournalDamaged, match="closed"):
        list(trial.events())
    code = (
        "import os, pathlib, sys\n"
        "from controlplane import open_journal\n"
        "before = len(os.listdir('/proc/self/fd'))\n"
        "for _ in range(3): print(len(next(iter(open_journal(pathlib.Path(sys.argv[1])).trials.values())).steps))\n"
        "import gc; gc.collect()\n"
        "assert len(os.listdir('/proc/self/fd')) == before\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, SAMPLE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
