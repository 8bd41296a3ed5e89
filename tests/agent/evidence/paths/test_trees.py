"""A tree has the names of all files below a folder, each within its folder.

The evidence log learns the paths from it: `learn_from(path, result)` returns the `paths` and `folders`
that are known after a call about this path with this result.
"""

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.paths.learnt_paths import Learnt, learn_from


def test_a_tree_teaches_all_paths_below_a_folder() -> None:
    """A tree has names instead of paths: its file `x.md` is `/a/b/x.md`."""
    file = {"name": "x.md"}
    subfolder = {"name": "b", "is_dir": True, "children": [file]}

    learnt = learn_from("/a", {"name": "a", "is_dir": True, "children": [subfolder]})

    assert learnt.paths == ["/a", "/a/b", "/a/b/x.md"]
    assert learnt.folders == {"/a", "/a/b"}


def test_a_tree_is_not_read_below_a_path_that_is_too_long() -> None:
    """The folder `/aaa...` has so long a name that no path is learnt for it. Its file `../b.md`
    must not be taken for the file `/b.md`."""
    file = {"name": "../b.md"}
    long_name = "a" * bounds.MOST_PATH_CHARS
    folder = {"name": long_name, "is_dir": True, "children": [file]}

    learnt = learn_from("/", {"name": "", "is_dir": True, "children": [folder]})

    assert learnt == Learnt(paths=["/"], folders={"/"})
