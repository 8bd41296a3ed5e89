"""What was read is parsed as data, whatever its format
and spacing, and makes the facts of a trial."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.records import parse
from controlplane.gates.trial.accesses import Access, SeenText
from controlplane.gates.trial.changes import Change
from controlplane.sandbox.interface import bounds

VALUES = (("id", "task-7"), ("owner_id", "user-3"), ("state", "open"))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"id": "task-7", "owner_id": "user-3", "state": "open"}', "/a.json"),
        ('{"id":"task-7","owner_id":"user-3","state":"open"}', "/a.json"),
        ('\n{\n\t"id" :\t"task-7",\n"owner_id"\n:"user-3","state":"open"}\n', "/a"),
        ("id: task-7\nowner_id: user-3\nstate: open\n", "/a.yaml"),
        ("id: task-7\nowner_id: user-3\n\nstate: open", "/a.txt"),
        ("---\nid: task-7\nowner_id: user-3\nstate: open\n---\n", "/a.md"),
        ("id;owner_id;state\ntask-7; user-3 ;open\ncut;row\n", "/a.csv"),
    ],
)
def test_one_record_has_the_same_values_in_every_format_and_spacing(
    text: str, path: str
) -> None:
    assert parse(text, path) == VALUES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain words.",
        "# Title\nkey: value",
        '{"cut": ',
        "{" * 50_000,
        f'{{"a": "{"x" * bounds.MOST_RECORD_CHARS}"}}',
    ],
    ids=len,
)
def test_other_texts_are_no_record(text: str) -> None:
    assert parse(text) == ()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"a": [' + "1," * 40_000 + "1]}", "/a.json"),
        ("a: b\n" * 19_000, "/a.md"),
        ("| a | b |\n" * 9_000, "/a.md"),
        (" " * 99_000 + "{", "/a"),
        ("[" * 50_000, "/a.json"),
    ],
    ids=range(5),
)
def test_hostile_texts_take_bounded_time(text: str, path: str) -> None:
    began = time.process_time()
    parse(text, path)

    assert time.process_time() - began < 5


@given(st.text(max_size=300), st.sampled_from(["/a.json", "/a.csv", "/a.md", "/a"]))
def test_any_text_can_be_parsed(text: str, path: str) -> None:
    for opening in ("", "{", "[", "a: "):
        assert all(isinstance(value, str) for _, value in parse(opening + text, path))


READ = frozenset({"read"})


# What was changed and still is
# ----------------------------------------------------------------------------------------

FILE = "/shelves/b-104.json"
WHOLE, PART = SeenText("one\ntwo\nthree\n"), SeenText("two\n", is_excerpt=True)
CUT = SeenText("one\ntw", is_whole=False)


def wrote(text: str) -> SeenText:
    return SeenText(text, is_proof=False)


@pytest.mark.parametrize(
    ("actions", "seen"),
    [
        ("wd", (wrote("new"),)),
        ("dw", (WHOLE, wrote("one\ntwo\nthree"))),
        ("ww", (WHOLE, wrote("junk"), wrote("one\ntwo\nthree\n"))),
        ("dw", (WHOLE, wrote("one\ntwo\nthree"), CUT)),
        ("wd", ()),
    ],
)
def test_a_restored_file_is_undone(actions: str, seen: tuple[SeenText, ...]) -> None:
    changes = tuple(
        Change(FILE, {"w": "write", "d": "delete"}[action]) for action in actions
    )
    facts = Evidence(
        has_trace=True, accesses={FILE: Access(FILE, READ, seen)}, changes=changes
    )

    assert all(map(facts.is_undone, facts.changes))
    assert facts.present_changes == ()
