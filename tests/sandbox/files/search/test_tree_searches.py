"""A search finds the lines that a pattern matches, in all files of a tree or in one."""

from controlplane.sandbox import FileTree


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
