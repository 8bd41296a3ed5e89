"""Changes of a file tree stay in an overlay over the files that it was made of.

tree = FileTree({"/a": "one"})
tree.write("/a", "two")
tree.changes      # {"/a": "two"}; a deleted file has None
"""

import pytest

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import CallError

# A search finds the lines that a pattern matches, in all files of a tree or in one.


def test_a_match_has_its_path_line_number_and_text():
    tree = FileTree({"/count.md": "one\ntwo\nthree\n", "/docs/a.md": "alpha 5 %\n"})

    result = tree.search(r"t\w+", "/")

    assert result["matches"] == [
        {"path": "/count.md", "line": 2, "text": "two"},
        {"path": "/count.md", "line": 3, "text": "three"},
    ]


def test_a_search_with_more_matches_than_its_limit_says_so():
    tree = FileTree({"/count.md": "two\nthree\n"})

    result = tree.search("t", limit=1)

    assert result["truncated"] is True


def test_a_single_file_can_be_searched():
    tree = FileTree({"/a.md": "one\n", "/b.md": "one\n"})

    result = tree.search("one", "/b.md")

    assert result["matches"] == [{"path": "/b.md", "line": 1, "text": "one"}]


@pytest.fixture
def tree():
    """A tree of one file, whose text is "v1"."""
    return FileTree({"/docs/a.md": "v1"})


def test_changes_stay_in_the_overlay():
    files = {"/AGENTS.MD": "one\n", "/docs/a.md": "alpha\n", "/docs/sub/b.json": "{}"}
    tree = FileTree(files, directories=["/empty"])

    tree.write("/new/deep/file.txt", "x")
    tree.delete("/docs/a.md")
    tree.write("/AGENTS.MD", "new")

    assert tree.paths() == [
        "/AGENTS.MD",
        "/docs/sub/b.json",
        "/new/deep/file.txt",
    ]
    # None marks a deleted file.
    assert dict(tree.changes) == {
        "/new/deep/file.txt": "x",
        "/docs/a.md": None,
        "/AGENTS.MD": "new",
    }
    assert files == {
        "/AGENTS.MD": "one\n",
        "/docs/a.md": "alpha\n",
        "/docs/sub/b.json": "{}",
    }
    assert tree.stat("/docs")["is_dir"] is True


def test_a_deleted_file_can_be_written_again(tree):
    tree.delete("/docs/a.md")

    tree.write("/docs/a.md", "back")

    assert tree.read("/docs/a.md")["content"] == "back"


def test_a_write_with_a_hash_fails_if_the_text_changed_since_it_was_read(tree):
    """`if_match_sha256`, the hash of the text that the script has read, keeps it from
    overwriting what it has not seen. The second write comes with the hash of the first text."""
    sha256_when_read = str(tree.read("/docs/a.md")["sha256"])
    tree.write("/docs/a.md", "v2", if_match_sha256=sha256_when_read)

    with pytest.raises(CallError) as refused:
        tree.write("/docs/a.md", "v3", if_match_sha256=sha256_when_read)

    assert refused.value.code == "failed_precondition"


def test_a_write_with_a_hash_fails_if_there_is_no_file(tree):
    """The script has read a file, and writes to another path with the hash of that file."""
    sha256_of_another_file = str(tree.read("/docs/a.md")["sha256"])

    with pytest.raises(CallError, match="no file"):
        tree.write("/none", "v3", if_match_sha256=sha256_of_another_file)
