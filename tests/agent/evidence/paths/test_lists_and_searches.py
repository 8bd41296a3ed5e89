"""A list of a folder teaches the evidence log its entries, and a search the paths that it found.

The log has to know which paths exist, and which are folders: `learn_from(path, result)` returns the
`paths` and `folders` that are known after one call about this path.
"""

import pytest

from tests.agent.evidence.paths.learnt_paths import Learnt, learn_from


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
            {"matches": [{"path": "/a/x.md", "line": 1, "text": "t"}]},
            id="in texts",
        ),
    ],
)
def test_a_search_teaches_the_paths_that_it_found_but_no_folder(
    result: dict[str, object],
) -> None:
    """What a search finds may be a file or a folder, and so may the path at which it begins. A
    text that does not begin with a slash, "not a path", is not learnt."""
    learnt = learn_from("/", result)

    assert learnt.paths == ["/a/x.md"]
    assert learnt.folders == set()


def test_a_stat_of_a_folder_teaches_that_it_is_a_folder() -> None:
    """The path is not learnt: its spelling is the script's own, and may be wrong."""
    learnt = learn_from("/a", {"path": "/a", "is_dir": True})

    assert learnt == Learnt(paths=[], folders={"/a"})


def test_a_stat_of_a_file_teaches_nothing() -> None:
    learnt = learn_from("/a", {"path": "/a", "is_dir": False})

    assert learnt == Learnt(paths=[], folders=set())
