"""A path that lacks a folder is cited by the only listed path with its name.

The book is at `/shelves/north side/b-104.json`, and the model reads `/shelves/b-104.json`. Some
environments find the file nevertheless. A note tells the model the whole path, as soon as both the
short path was read and the whole one was listed.
"""

from tests.gates.recorded_calls import CallsOfTrial


def cited_path(calls: CallsOfTrial, path: str) -> str:
    """Return the path by which `cite` cites a file, with some reason."""
    return calls.cite(path, "a reason that is long enough").spelling


def test_a_short_path_is_noted_when_it_is_read_after_the_listings() -> None:
    """`/shelves` has no `b-104.json`. The only listed file of this name is in `north side`."""
    calls = CallsOfTrial()
    calls.list_folder("/shelves", folders=("/shelves/north side",))
    calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")

    notes = calls.read("/shelves/b-104.json")

    assert notes == (
        "`/shelves/b-104.json` is `/shelves/north side/b-104.json`: cite it by that path.",
    )
    cited = cited_path(calls, "/shelves/b-104.json")
    assert cited == "/shelves/north side/b-104.json"


def test_a_short_path_is_noted_when_the_listings_come_later() -> None:
    """The note comes with the listing that shows the book."""
    calls = CallsOfTrial()
    assert calls.read("/shelves/b-104.json") == ()
    calls.list_folder("/shelves", folders=("/shelves/north side",))

    notes = calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")

    assert notes == (
        "`/shelves/b-104.json` is `/shelves/north side/b-104.json`: cite it by that path.",
    )
    cited = cited_path(calls, "/shelves/b-104.json")
    assert cited == "/shelves/north side/b-104.json"


def test_a_program_that_changes_something_does_not_affect_a_short_path() -> None:
    """`/bin/ship` may have moved the file. But until a call shows another path, the log cites
    the file by the listed one."""
    calls = CallsOfTrial()
    calls.list_folder("/shelves", folders=("/shelves/north side",))
    calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")
    calls.read("/shelves/b-104.json")

    calls.run("/bin/ship", "b-104")

    cited = cited_path(calls, "/shelves/b-104.json")
    assert cited == "/shelves/north side/b-104.json"
