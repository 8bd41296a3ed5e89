"""What is known of the paths that calls reached."""

import pytest

from agent.evidence.kept_texts import KeptTexts
from agent.evidence.touched_places import MAX_VARIANTS, TouchedPlaces
from gates.evidence import seen_text


def same(path: str) -> str:
    return path


def test_what_happened_at_the_spellings_of_one_path_is_known_of_that_path() -> None:
    places = TouchedPlaces(KeptTexts())
    places.touch("/a", "read", seen_text("one"))
    places.touch("/A", "delete")
    (touch,) = places.touches(str.upper).values()
    assert (touch.path, touch.actions) == ("/A", {"read", "delete"})
    assert [each.text for each in touch.seen] == ["one"]


def test_a_blank_text_makes_its_path_known_and_shows_nothing() -> None:
    places = TouchedPlaces(KeptTexts())
    places.touch("/a", "read", seen_text(" \n"))
    assert "/a" in places
    assert places.touches(same)["/a"].seen == ()


@pytest.mark.parametrize(("bound", "value"), [("MAX_PLACES", 2), ("MAX_PLACE_CHARS", 4)])
def test_paths_beyond_the_bound_are_not_known(monkeypatch: pytest.MonkeyPatch, bound: str, value: int) -> None:
    monkeypatch.setattr(f"agent.evidence.touched_places.{bound}", value)
    places = TouchedPlaces(KeptTexts())
    for path in ("/a", "/b", "/c", "/a"):
        places.touch(path, "read", seen_text(f"text of {path}"))
    assert [*places] == ["/a", "/b"]
    assert [*places.touches(same)] == ["/a", "/b"]


def test_the_spellings_of_a_path_are_remembered_up_to_a_bound() -> None:
    places = TouchedPlaces(KeptTexts())
    spellings = [f"/{number:05b}".replace("0", "a").replace("1", "A") for number in range(MAX_VARIANTS + 5)]
    for path in spellings:
        places.touch(path, "read")
    assert [*places.variants("/aaaaa")] == spellings[:MAX_VARIANTS]
    assert all(path in places for path in spellings)
