import errno
import fcntl
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.events import CallDone, Noticed
from controlplane.errors import ControlPlaneError, JournalDamaged, JournalUnwritable, NotAJournal, UsageError
from controlplane.journal.chained_lines import GENESIS, is_torn, line_of
from controlplane.journal.journal_digest import is_being_written
from controlplane.journal.journal_reader import Chain, new_events, read_events
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunClosed, RunOpened, Versions

VERSIONS = Versions(controlplane="1", python="3.11", gates="g", prompts="p")
OPENED = RunOpened(run="r", name="n", benchmark="b", model="m", settings=(), versions=VERSIONS)
LONG = "a long text " * 17


def trees(leaves: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    names = st.sampled_from(["hash", "prev", "a", ',"hash":"']) | st.text()
    return st.lists(leaves, max_size=4) | st.dictionaries(names, leaves, max_size=4)


EVENTS: list[JournalEvent] = [
    OPENED,
    Noticed(trial_id="t1", text=LONG),
    CallDone(trial_id="t1", step=1, number=0, result={"content": LONG, "lines": [LONG, {"a": "@text:fake"}]}),
    Noticed(trial_id="t2", text="lone surrogate \ud800 and @text:"),
    Noticed(trial_id="t2", text="@text:0123"),
    CallDone(trial_id="t2", step=1, number=1, result={"path": "/a", "hash": "sha1:zz", "prev": "0" * 32}),
    CallDone(
        trial_id="t2", step=1, number=2, result={"of": [{"prev": "p"}, {"a": [], "hash": "0" * 32}], "hash": "f" * 32}
    ),
    Noticed(trial_id="t2", text=',"hash":"0123456789abcdef0123456789abcdef"}'),
    CallDone(trial_id="t2", step=1, number=3, result={"n": [-1.5e-09, 1e22, 0, True, None, {}, [[]]], "hash": None}),
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


def test_a_journal_that_nothing_was_written_to_is_not_left(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), JournalWriter(tmp_path / "r.jsonl", create=True):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


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
    line, _ = line_of({"type": "t", "value": value}, GENESIS)
    at = data.draw(st.integers(0, len(line) - 1))
    assert is_torn(line[:at], GENESIS)
    whole = line[:-1]
    at = len(whole) - data.draw(st.integers(1, 43))
    assert not is_torn(whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :], GENESIS)


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
    path.write_bytes(path.read_bytes() + line_of(fields, chain.last_hash)[0])
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


def test_a_file_system_without_locks_is_told_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_here(file: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none_here)
    with pytest.raises(JournalUnwritable, match=r"cannot lock the journal .*: No locks available; use a folder on"):
        JournalWriter(tmp_path / "new.jsonl", create=True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.jsonl").touch()
    assert not is_being_written(tmp_path / "old.jsonl")


def test_two_writers_of_one_journal_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with JournalWriter(path, create=True), pytest.raises(UsageError, match="another process"):
        JournalWriter(path, create=False)


def test_whole_lines_are_seen_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    chain = Chain()
    with JournalWriter(path, create=True) as journal:
        for each in EVENTS:
            journal.write(each)
            assert list(new_events(path, chain)) == [each]
    assert list(new_events(path, chain)) == []


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
        assert [[each.name for each in found] for found in (read_events(path), new_events(path, Chain()))] == [
            [LONG]
        ] * 2
