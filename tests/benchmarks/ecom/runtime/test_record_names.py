"""Records are shown and known by names, and a name that is not listed stays as it is."""

from __future__ import annotations

from benchmarks.ecom.runtime.workspace import RecordNames

NAMES = RecordNames(
    fields={"status": "stage", "part": "piece", "part.status": "status", "lines": "entries"},
    states={"status": {"open": "ajar"}, "part.status": {"open": 1}},
    verbs={"close": "shut"},
)
DATA = {"id": "a", "status": "open", "part": {"status": "open"}, "lines": [{"status": "x"}], "properties": {"part": 1}}


def test_a_field_within_another_has_a_name_and_states_of_its_own() -> None:
    shown = NAMES.shown(DATA)
    assert shown == {
        "id": "a",
        "stage": "ajar",
        "piece": {"status": 1},
        "entries": [{"stage": "x"}],
        "properties": {"part": 1},
    }
    assert NAMES.known(shown) == DATA


def test_verbs_and_states_are_named_too() -> None:
    assert (NAMES.verb("close"), NAMES.verb("approve")) == ("shut", "approve")
    assert (NAMES.state("open"), NAMES.state("gone")) == ("ajar", "gone")
