"""A change is undone if the file is again as it was, as far as anybody saw it."""

from __future__ import annotations

import pytest

from gates.claims.undone_changes import is_undone
from gates.facts import facts_of
from gates.types import Change, Evidence, SeenText, Touch

PATH = "/shelves/b-104.json"
WHOLE = SeenText("one\ntwo\nthree\n")
PART = SeenText("two\n", is_excerpt=True)
CUT = SeenText("one\ntw", is_whole=False)


def wrote(text: str) -> SeenText:
    return SeenText(text, is_proof=False)


def undone(actions: str, *seen: SeenText) -> bool:
    changes = tuple(Change(PATH, {"w": "write", "d": "delete"}[each]) for each in actions)
    touches = {PATH: Touch(PATH, frozenset({"read"}), seen)}
    evidence = Evidence(has_trace=True, touches=touches, changes=changes)
    return is_undone(changes[0], facts_of(evidence))


@pytest.mark.parametrize(
    ("actions", "seen"),
    [
        ("wd", (wrote("new"),)),
        ("dw", (WHOLE, wrote("one\ntwo\nthree"))),
        ("ww", (WHOLE, wrote("junk"), wrote("one\ntwo\nthree\n"))),
        ("dw", (PART, wrote("one\ntwo\nthree"))),
        ("dw", (WHOLE, wrote("one\ntwo\nthree"), CUT)),
        ("wd", ()),
        ("dw", (CUT, wrote("one\ntw\nmore"))),
        ("dw", (PART, wrote("two"))),
        ("ww", (PART, WHOLE)),
    ],
)
def test_what_is_again_as_it_was_is_undone(actions: str, seen: tuple[SeenText, ...]) -> None:
    assert undone(actions, *seen)


@pytest.mark.parametrize(
    ("actions", "seen"),
    [
        ("w", (wrote("new"),)),
        ("d", (WHOLE,)),
        ("wd", (WHOLE, wrote("new"))),
        ("dw", (WHOLE, wrote("junk"))),
        ("dw", (PART, wrote("junk"))),
        ("dw", (wrote("junk"),)),
        ("dwd", (WHOLE, wrote("one\ntwo\nthree"))),
        ("w", (WHOLE, wrote("one\ntwo\nthree, and more"))),
        ("ww", (PART, wrote("one"), wrote("three"))),
        ("d", (wrote("new"),)),
        ("ww", (wrote("one\ntwo\nthree"), WHOLE)),
        ("ww", (WHOLE, wrote("one\ntwo\nthree\nfour"))),
        ("dw", (SeenText(" \n", is_excerpt=True), wrote("junk"))),
        ("dw", (PART, SeenText("three", is_excerpt=True), wrote("two"))),
    ],
)
def test_junk_and_what_nobody_saw_before_do_not_undo(actions: str, seen: tuple[SeenText, ...]) -> None:
    assert not undone(actions, *seen)


def test_the_run_of_a_tool_is_never_undone_by_files() -> None:
    run = Change("/bin/ship", "execute", "b-104")
    assert not is_undone(run, facts_of(Evidence(has_trace=True, changes=(run,))))
    seen = {"/bin/ship": Touch("/bin/ship", frozenset({"execute"}), (SeenText("shipped"), SeenText("shipped")))}
    assert not is_undone(run, facts_of(Evidence(has_trace=True, changes=(run, run), touches=seen)))
