"""A line that was cut off is told from one that was changed."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from controlplane.journal.chained_lines import GENESIS, is_torn, json_of, line_of
from controlplane.journal.run_events import JournalEvent
from tests.controlplane.journal.written_journal import EVENTS, written


def trees(leaves: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    names = st.sampled_from(["hash", "prev", "a", ',"hash":"']) | st.text()
    return st.lists(leaves, max_size=4) | st.dictionaries(names, leaves, max_size=4)


def lines_of(path: Path, events: list[JournalEvent]) -> list[tuple[bytes, str]]:
    """Return every line of the events' journal, and the hash of the line before it."""
    lines = written(path, events).read_bytes().splitlines()
    hashes = [GENESIS, *(each[-34:-2].decode() for each in lines)]
    return list(zip(lines, hashes, strict=False))


def test_a_line_is_torn_wherever_it_is_cut(tmp_path: Path) -> None:
    for line, previous in lines_of(tmp_path / "r.jsonl", EVENTS):
        assert [at for at in range(1, len(line) + 1) if not is_torn(line[:at], previous)] == []
        assert not is_torn(line, "f" * 32)


def test_what_no_writer_begins_a_line_with_is_not_torn(tmp_path: Path) -> None:
    line, previous = lines_of(tmp_path / "r.jsonl", EVENTS)[-4]
    start = f'{{"prev":"{previous}",'.encode()
    for junk in (b"}", b"{", b" ", b"\x0b", b'"', b"0", b'{"prev":"', b',"hash":"', line):
        assert not is_torn(line + junk, previous)
    fields = line[len(start) : -43]
    tail = line[-43:]
    wrong = [
        fields + b"}",
        fields + b' ,"a":1',
        fields + tail[:-3] + (b"1" if tail[-3:-2] == b"0" else b"0"),
        fields + tail[:10] + b"z",
        fields + tail[:-1] + b"]",
    ]
    wrong += [
        b'"a":' + each
        for each in (b"01x", b"nul,", b"tru]", b"1.,", b"1e,", b"]", b"{1", b"[,", b'"\n', b'"\\x', b"\xff", b" 1")
    ]
    wrong += [
        b'"a"1',
        b'"a":1 ',
        b'"a":1]',
        b'"a":1}',
        b'"a":[1}',
        b'"a":{"b"]',
        b'"a":{"b":1,}',
        b'"a":{},,',
        b"a",
        b"}",
    ]
    assert [each for each in wrong if is_torn(start + each, previous)] == []


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), trees), st.data())
def test_any_line_cut_anywhere_is_torn_and_with_its_end_changed_is_not(value: object, data: st.DataObject) -> None:
    line, _ = line_of(json_of({"type": "t", "value": value}), GENESIS)
    at = data.draw(st.integers(0, len(line) - 1))
    assert is_torn(line[:at], GENESIS)
    whole = line[:-1]
    at = len(whole) - data.draw(st.integers(1, 43))
    assert not is_torn(whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :], GENESIS)
