"""What was written is read back, and every change of it is found."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.events import Noticed
from controlplane.errors import ControlPlaneError, JournalDamaged, NotAJournal
from controlplane.journal.journal_lines import json_of, line_of
from controlplane.journal.journal_reader import Chain, read_events
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from tests.controlplane.journal.written_journal import EVENTS, LONG, OPENED, written


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", EVENTS)
    assert list(read_events(path)) == EVENTS


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


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"type": "trial_paused", "at_ms": 1}, "line 2: there is no event 'trial_paused'; is it of a newer version?"),
        ({"type": "run_notice", "at_ms": 1, "text": "t", "until": 2}, "line 2: until: Extra inputs are not permitted"),
        ({"at_ms": 1}, "line 2: Unable to extract tag"),
    ],
)
def test_an_event_that_is_not_known_is_told_in_a_few_words(
    fields: dict[str, object], says: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "r.jsonl", [OPENED])
    chain = Chain()
    list(read_events(path, chain))
    path.write_bytes(path.read_bytes() + line_of(json_of(fields), chain.last_hash)[0])
    with pytest.raises(JournalDamaged) as raised:
        list(read_events(path))
    assert says in str(raised.value)
    assert len(str(raised.value)) < len(str(path)) + 120


def test_lines_swapped_or_removed_are_found(tmp_path: Path) -> None:
    lines = written(tmp_path / "r.jsonl", EVENTS).read_bytes().splitlines(keepends=True)
    edited = tmp_path / "edited.jsonl"
    for number in range(1, len(lines) - 1):
        for text in (lines[:number] + lines[number + 1 :], [*lines[:number], lines[number + 1], lines[number]]):
            edited.write_bytes(b"".join(text))
            with pytest.raises(JournalDamaged):
                list(read_events(edited))


def test_whole_lines_are_seen_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    chain = Chain()
    with JournalWriter(path, create=True) as journal:
        for each in EVENTS:
            journal.write(each)
            assert list(read_events(path, chain, is_growing=True)) == [each]
    assert list(read_events(path, chain, is_growing=True)) == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(), max_size=8))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("journal") / "r.jsonl"
    events: list[JournalEvent] = [OPENED, *(Noticed(trial_id="t", text=each * 9) for each in texts)]
    assert list(read_events(written(path, events))) == events


@pytest.mark.parametrize("kept", [1, 2])
def test_a_journal_whose_opening_holds_a_long_text_is_read(kept: int, tmp_path: Path) -> None:
    path = written(tmp_path / "long.jsonl", [OPENED.model_copy(update={"name": LONG})])
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]))
    if kept == 1:  # the text alone is no journal yet
        with pytest.raises(NotAJournal, match="no whole line"):
            list(read_events(path))
    else:
        assert [
            [each.name for each in found] for found in (read_events(path), read_events(path, Chain(), is_growing=True))
        ] == [[LONG]] * 2
