"""What the evidence log learns from a trial's calls about the paths of files.

Models spell paths freely: `/DOCS/loans.md` for `/docs/Loans.md`. The log learns the right
spelling from listings, and cites the file by it. It also learns which paths are folders.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from tests.gates.sample_trials import CallsOfTrial

REASON = "long enough"
"""A reason for a citation of which only the length matters here."""


def cited_path(calls: CallsOfTrial, path: str) -> str:
    """Return the path by which the script's function `cite` cites a file."""
    return calls.cite(path, REASON).spelling


# The spelling of a path in another case
# --------------------------------------------------------------------------------------------------------------


def check_both_spellings(calls: CallsOfTrial) -> None:
    """Assert that the file is cited as listed, whichever spelling the script uses.

    `#2` stands for part 2 of the file.
    """
    assert cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"
    assert cited_path(calls, "/docs/Loans.md") == "/docs/Loans.md"


def test_a_path_in_another_case_than_listed_is_noted_and_cited_as_listed() -> None:
    """The note tells the model the right spelling."""
    calls = CallsOfTrial()
    calls.list_folder("/docs", "/docs/Loans.md")

    notes = calls.read("/DOCS/loans.md")

    assert notes != ()
    check_both_spellings(calls)


def test_a_path_is_cited_as_listed_even_if_it_is_listed_later() -> None:
    """When the script reads the file, the right spelling is not known yet, so there is no note."""
    calls = CallsOfTrial()

    notes = calls.read("/DOCS/loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    assert notes == ()
    check_both_spellings(calls)


# A path that lacks a folder. Some environments find the file nevertheless.
# --------------------------------------------------------------------------------------------------------------

BOOK = "/shelves/north side/b-104.json"
SHORT_PATH = "/shelves/b-104.json"
"""The path of the book without its folder `north side`, as a model may misremember it."""
NOTE_ON_SHORT_PATH = f"`{SHORT_PATH}` is `{BOOK}`: cite it by that path."


def list_shelves(calls: CallsOfTrial) -> tuple[str, ...]:
    """List the folder `/shelves` and its folder `north side`, in which the book is.

    Return the notes that the model gets on the second listing.
    """
    calls.list_folder("/shelves", folders=("/shelves/north side",))
    return calls.list_folder("/shelves/north side", BOOK)


def test_a_short_path_is_noted_when_it_is_read_after_the_listings() -> None:
    """`/shelves` has been listed and has no `b-104.json`. The only listed file of this name is in the
    folder `north side`."""
    calls = CallsOfTrial()
    list_shelves(calls)

    notes = calls.read(SHORT_PATH)

    assert notes == (NOTE_ON_SHORT_PATH,)
    assert cited_path(calls, SHORT_PATH) == BOOK


def test_a_short_path_is_noted_when_the_listings_come_later() -> None:
    """The script reads `/shelves/b-104.json`. Later listings show that the only file of this name is
    in the folder `/shelves/north side`."""
    calls = CallsOfTrial()

    notes = calls.read(SHORT_PATH) + list_shelves(calls)

    assert notes == (NOTE_ON_SHORT_PATH,)
    assert cited_path(calls, SHORT_PATH) == BOOK


def test_a_program_that_changes_something_does_not_affect_a_short_path() -> None:
    """The program may have moved the file. But until a call shows another path, the log cites the
    file by the listed one."""
    calls = CallsOfTrial()
    list_shelves(calls)
    calls.read(SHORT_PATH)

    calls.run("/bin/ship", "b-104")

    assert cited_path(calls, SHORT_PATH) == BOOK


# Citations that are refused
# --------------------------------------------------------------------------------------------------------------


def test_citing_an_unread_path_names_the_nearest_one_that_was_read() -> None:
    """The script has read `/docs/Loans.md`, and cites `/docs/loan.md`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", BOOK)

    with pytest.raises(
        ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"
    ):
        calls.cite("/docs/loan.md", REASON)


def test_citing_with_a_short_reason_is_refused() -> None:
    """The reason "rules" is shorter than 8 characters."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")

    with pytest.raises(ValueError, match="under 8 characters"):
        calls.cite("/docs/Loans.md", "rules")


def test_citing_a_folder_is_refused() -> None:
    """A folder says nothing that an answer could rest on. The listing shows that `/docs` is one."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    with pytest.raises(ValueError, match="is a folder"):
        calls.cite("/docs/", REASON)


# `cite` and the gates agree, after random calls
#
# A script cites a file by the function `cite`, and the gates check the citation when the answer is
# submitted. Both must accept a path by the same spelling, or both must refuse it.
# --------------------------------------------------------------------------------------------------------------

# Paths that could be taken for one another: by their case, their accents, or a fragment `#1`.
CONFUSABLE_PATHS = [
    "/a/x",
    "/a/X",
    "/A/x",
    "/x",
    "/b/x",
    "/b/y#1",  # a file of this name, or part 1 of the file /b/y
    "/b/y",
    "/a",
    "/c/é",
    "/c/e\u0301",  # the same letter as an e with an accent
]


def make_random_call(calls: CallsOfTrial, chance: random.Random) -> None:
    """List a folder, read a file, write or delete one.

    In "read resolved", the environment says that it has read a file at another path.
    """
    path = chance.choice(CONFUSABLE_PATHS)
    other_path = chance.choice(CONFUSABLE_PATHS)
    match chance.choice(("list", "read", "read resolved", "write", "delete")):
        case "list":
            is_folder = chance.random() < 0.2
            is_truncated = chance.random() < 0.5
            entry = {"name": "n", "path": other_path, "is_dir": is_folder}
            result = {"entries": [entry], "truncated": is_truncated}
            calls.record("list", {"path": path}, result)
        case "read":
            calls.read_text(path, "ten words")
        case "read resolved":
            result = {"path": other_path, "content": "ten words", "truncated": False}
            calls.record("read", {"path": path}, result)
        case "write":
            calls.write(path, "c")
        case "delete":
            calls.delete(path)


def citation_by_gates(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which the gates accept its citation; None if they refuse.

    They refuse a path that no call has accessed, and a folder.
    """
    cited_file = calls.evidence.find(path)
    if cited_file.access is None or cited_file.is_directory:
        return None
    return cited_file.citation


def citation_by_cite(calls: CallsOfTrial, path: str) -> str | None:
    """Return the spelling of a path by which `cite` cites it; None if it refuses the path."""
    try:
        return cited_path(calls, path)
    except ValueError:
        return None


@pytest.mark.parametrize("seed", range(40))
def test_cite_and_the_gates_agree_on_every_path_after_any_calls(seed: int) -> None:
    """A citation that `cite` has accepted must not be rejected when the answer is submitted. Both are
    asked about every path after each of 60 random calls."""
    calls = CallsOfTrial()
    chance = random.Random(seed)

    for _ in range(60):
        make_random_call(calls, chance)
        for path in CONFUSABLE_PATHS:
            assert citation_by_cite(calls, path) == citation_by_gates(calls, path)


# Listings
#
# A listing is the result of a call that shows names of files. Each call returns them in another shape,
# and the log learns from it which paths exist, and which of them are folders.
# --------------------------------------------------------------------------------------------------------------


class Learnt(NamedTuple):
    """What is known after one listing."""

    paths: list[str]
    """All paths that it has shown, whether of files or of folders."""
    folders: set[str]
    """The paths that are known to be folders."""


def learn_from(requested_path: str, result: dict[str, object]) -> Learnt:
    """Learn from the result of a call about a path. No path was known before."""
    known = KnownPaths()

    notes = known.learn_listing(requested_path, result)

    assert notes == ()  # There is no earlier path that the listing could correct.
    paths: list[str] = []
    # Paths that differ only in upper and lower case stand together.
    for spellings in known.listings.paths.by_key.values():
        paths.extend(spellings)
    return Learnt(paths, known.listings.folders.paths)


def test_a_list_of_a_folder_teaches_its_entries_and_that_it_is_a_folder() -> None:
    """`harness.list("/a")` shows the entries of `/a`, so `/a` must be a folder, too."""
    file_entry = {"path": "/a/X.md", "is_dir": False}
    folder_entry = {"path": "/a/b", "is_dir": True}

    learnt = learn_from("/a", {"entries": [file_entry, folder_entry]})

    assert learnt.paths == ["/a/X.md", "/a/b"]
    assert learnt.folders == {"/a", "/a/b"}


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(
            {"paths": ["/a/x.md", "not a path"], "truncated": False}, id="by name"
        ),
        pytest.param(
            {"matches": [{"path": "/a/x.md", "line": 1, "text": "t"}]}, id="in texts"
        ),
    ],
)
def test_a_search_teaches_the_paths_that_it_found_but_no_folder(
    result: dict[str, object],
) -> None:
    """What a search finds may be a file or a folder, and so may the path at which it begins. A text
    that does not begin with a slash, "not a path", is not learnt."""
    learnt = learn_from("/", result)

    assert learnt.paths == ["/a/x.md"]
    assert learnt.folders == set()


def test_a_stat_teaches_only_whether_a_path_is_a_folder() -> None:
    """A stat of `/a` returns no names, except `/a` itself. This spelling is the script's own, and may
    be wrong, so the path is not learnt."""
    of_folder = learn_from("/a", {"path": "/a", "is_dir": True})
    of_file = learn_from("/a", {"path": "/a", "is_dir": False})

    assert of_folder == Learnt(paths=[], folders={"/a"})
    assert of_file == Learnt(paths=[], folders=set())


def test_a_tree_teaches_all_paths_below_a_folder() -> None:
    """A tree has names instead of paths: its file `x.md` is `/a/b/x.md`."""
    subfolder = {"name": "b", "is_dir": True, "children": [{"name": "x.md"}]}

    learnt = learn_from("/a", {"name": "a", "is_dir": True, "children": [subfolder]})

    assert learnt.paths == ["/a", "/a/b", "/a/b/x.md"]
    assert learnt.folders == {"/a", "/a/b"}
