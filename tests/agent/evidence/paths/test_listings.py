"""What the evidence log learns from listings: results of calls that show names of files.

Each call returns names in another form. The log learns which paths exist, and which are folders:
`{"entries": [{"path": "/a/b", "is_dir": True}]}` -> the path `/a/b`, which is a folder.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.sandbox.interface import bounds


class Learnt(NamedTuple):
    """What is known after one listing."""

    paths: list[str]
    """All paths that it has shown, whether of files or of folders."""
    folders: set[str]
    """The paths that are known to be folders."""


def learn_from(requested_path: str, result: dict[str, object]) -> Learnt:
    """Return what is known after a call about this path. No path was known before."""
    known = KnownPaths()

    notes = known.learn_listing(requested_path, result)

    assert notes == ()  # There is no earlier path that the listing could correct.
    paths: list[str] = []
    # `by_key` is, for example, {"/a/x.md": ["/a/X.md", "/A/x.md"]}.
    for spellings in known.listings.paths.by_key.values():
        paths.extend(spellings)
    return Learnt(paths, known.listings.folders.paths)


class TestListsAndSearches:
    """A list of a folder teaches its entries, and a search the paths that it found.

    `learn_from(path, result)` returns the known paths and folders after one call about this path.
    """

    def test_a_list_of_a_folder_teaches_its_entries_and_that_it_is_a_folder(
        self,
    ) -> None:
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
                {"matches": [{"path": "/a/x.md", "line": 1, "text": "t"}]},
                id="in texts",
            ),
        ],
    )
    def test_a_search_teaches_the_paths_that_it_found_but_no_folder(
        self, result: dict[str, object]
    ) -> None:
        """What a search finds may be a file or a folder, and so may the path at which it begins. A
        text that does not begin with a slash, "not a path", is not learnt."""
        learnt = learn_from("/", result)

        assert learnt.paths == ["/a/x.md"]
        assert learnt.folders == set()

    def test_a_stat_of_a_folder_teaches_that_it_is_a_folder(self) -> None:
        """The path is not learnt: its spelling is the script's own, and may be wrong."""
        learnt = learn_from("/a", {"path": "/a", "is_dir": True})

        assert learnt == Learnt(paths=[], folders={"/a"})

    def test_a_stat_of_a_file_teaches_nothing(self) -> None:
        learnt = learn_from("/a", {"path": "/a", "is_dir": False})

        assert learnt == Learnt(paths=[], folders=set())


class TestTrees:
    """A tree has the names of all files below a folder, each within its folder."""

    def test_a_tree_teaches_all_paths_below_a_folder(self) -> None:
        """A tree has names instead of paths: its file `x.md` is `/a/b/x.md`."""
        file = {"name": "x.md"}
        subfolder = {"name": "b", "is_dir": True, "children": [file]}

        learnt = learn_from(
            "/a", {"name": "a", "is_dir": True, "children": [subfolder]}
        )

        assert learnt.paths == ["/a", "/a/b", "/a/b/x.md"]
        assert learnt.folders == {"/a", "/a/b"}

    def test_a_tree_is_not_read_below_a_path_that_is_too_long(self) -> None:
        """The folder `/aaa...` has so long a name that no path is learnt for it. Its file `../b.md`
        must not be taken for the file `/b.md`."""
        file = {"name": "../b.md"}
        long_name = "a" * bounds.MOST_PATH_CHARS
        folder = {"name": long_name, "is_dir": True, "children": [file]}

        learnt = learn_from("/", {"name": "", "is_dir": True, "children": [folder]})

        assert learnt == Learnt(paths=["/"], folders={"/"})
