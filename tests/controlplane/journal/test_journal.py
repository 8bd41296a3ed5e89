from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.events import CallDone, Noticed
from controlplane.errors import ControlPlaneError, JournalDamaged, NotAJournal, UsageError
from controlplane.journal.events import JournalEvent, RunClosed, RunOpened, Versions
from controlplane.journal.reader import Chain, Follower, read_events
from controlplane.journal.writer import JournalWriter

VERSIONS = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
OPENED = RunOpened(run="r", name="n", benchmark="b", model="m", settings=(), versions=VERSIONS)
LONG = "a long text " * 17


EVENTS: list[JournalEvent] = [
    OPENED,
    Noticed(trial_id="t1", text=LONG),
    CallDone(trial_id="t1", step=1, number=0, result={"content": LONG, "lines": [LONG, {"a": "@text:fake"}]}),
    Noticed(trial_id="t2", text="lone surrogate \ud800 and @text:"),
    Noticed(trial_id="t2", text="@text:0123"),
    RunClosed(how="finished", exit_code=0),
]


def written(path: Path, events: list[JournalEvent]) -> Path:
    with JournalWriter(path, create=True) as journal:
        for each in events:
            journal.write(each)
    return path


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    assert list(read_events(path)) == EVENTS


def test_a_text_that_repeats_is_stored_once(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    assert path.read_text().count("a long text a long text") == LONG.count("a long text a long text")


def test_every_byte_edited_anywhere_is_found(tmp_path: Path, heavy: bool) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    whole = path.read_bytes()
    edited = tmp_path / "edited.jsonl"
    for at in range(0, len(whole), 1 if heavy else 7):
        edited.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises((JournalDamaged, NotAJournal)):
            list(read_events(edited))


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
        chain = Chain()
        events = list(read_events(cut, chain))
        assert events == EVENTS[: len(events)]
        assert chain.torn == (not whole[:at].endswith(b"\n"))


def test_lines_swapped_or_removed_are_found(tmp_path: Path) -> None:
    lines = written(tmp_path / "r.jsonl", EVENTS).read_bytes().splitlines(keepends=True)
    edited = tmp_path / "edited.jsonl"
    for number in range(1, len(lines) - 1):
        for text in (lines[:number] + lines[number + 1 :], [*lines[:number], lines[number + 1], lines[number]]):
            edited.write_bytes(b"".join(text))
            with pytest.raises(JournalDamaged):
                list(read_events(edited))


def test_a_writer_that_goes_on_cuts_the_torn_line_first(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS[:-1])
    with path.open("ab") as file:
        file.write(b'{"prev":"')
    chain = Chain()
    list(read_events(path, chain))
    with JournalWriter(path, create=False) as journal:
        journal.continue_after(length=chain.length, last_hash=chain.last_hash, stored=set(chain.texts))
        journal.write(EVENTS[-1])
    assert list(read_events(path)) == EVENTS


def test_two_writers_of_one_journal_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with JournalWriter(path, create=True), pytest.raises(UsageError, match="another process"):
        JournalWriter(path, create=False)


def test_a_follower_sees_whole_lines_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    follower = Follower(path)
    with JournalWriter(path, create=True) as journal:
        for each in EVENTS:
            journal.write(each)
            assert list(follower.new_events()) == [each]
    assert list(follower.new_events()) == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(), max_size=8))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("journal") / "r.jsonl"
    events: list[JournalEvent] = [OPENED, *(Noticed(trial_id="t", text=each * 9) for each in texts)]
    assert list(read_events(written(path, events))) == events
