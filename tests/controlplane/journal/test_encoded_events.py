"""Events that are encoded in one process and written by another."""

from pathlib import Path

from controlplane.journal import encoded_events
from controlplane.journal.encoded_events import KnownTexts, encode_event
from controlplane.journal.journal_reader import read_events
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import RunNotice
from tests.controlplane.journal.written_journal import EVENTS, written

LONG = "a long text, " * 40


def test_a_text_goes_along_once() -> None:
    known = KnownTexts()
    first = encode_event(RunNotice(text=LONG), known)
    known.remember(first.texts)
    again = encode_event(RunNotice(text=LONG), known)
    assert list(first.texts.values()) == [LONG]
    assert again.texts == {}
    assert LONG.encode() not in first.body
    assert b"@text:" in again.body


def test_a_text_that_was_forgotten_goes_along_again(monkeypatch) -> None:
    monkeypatch.setattr(encoded_events, "REMEMBERED_TEXTS", 2)
    known = KnownTexts()
    known.remember(["a", "b", "c"])
    assert [each in known for each in "abc"] == [False, True, True]


def test_a_journal_of_encoded_events_reads_as_one_of_events(tmp_path: Path) -> None:
    """Two encoders that do not know of each other both send a text; it is stored once."""
    path, encoders = tmp_path / "run.jsonl", (KnownTexts(), KnownTexts())
    with JournalWriter(path, create=True) as journal:
        for number, event in enumerate(EVENTS):
            known = encoders[number % 2]
            journal.write_encoded(encoded := encode_event(event, known))
            known.remember(encoded.texts)
        for known in encoders:
            journal.write_encoded(encode_event(RunNotice(text=LONG), known))
    assert path.read_bytes().count(LONG.encode()) == 1
    direct = list(read_events(written(tmp_path / "direct.jsonl", EVENTS)))
    assert list(read_events(path))[: len(direct)] == direct
