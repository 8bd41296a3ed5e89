"""How the first message draws the files that the call `tree` has listed.

`drawn_tree` draws paths such as `/docs/old/a.md`, a folder or file a line. A folder with more files
than the longest listing takes one line, with their number and the first of them:

    docs/
      old/ (2: a.md ..)
"""

from controlplane.agent.retrieval.listing import UNLISTED, drawn_tree


def test_a_small_tree_is_drawn_with_all_files() -> None:
    drawing = drawn_tree(["/a.md", "/b.md"], longest_listing=2)

    assert drawing.splitlines() == ["/", "  a.md", "  b.md"]


def test_a_folder_with_more_files_than_the_limit_takes_one_line() -> None:
    files = ["/docs/old/a.md", "/docs/old/b.md"]

    drawing = drawn_tree(files, longest_listing=1, root="/docs")

    assert drawing.splitlines() == ["docs/", "  old/ (2: a.md ..)"]


def test_a_folder_that_is_to_be_drawn_in_full_has_all_its_files() -> None:
    files = ["/docs/old/a.md", "/docs/old/b.md"]

    drawing = drawn_tree(files, longest_listing=1, root="/docs", in_full=["/docs/old"])

    assert drawing.splitlines() == ["docs/", "  old/", "    a.md", "    b.md"]


def test_a_large_folder_of_folders_has_a_line_for_each_of_them() -> None:
    """Below the root, each of these folders may have one kind of records."""
    loans = ["/records/loans/l-1.json", "/records/loans/l-2.json"]
    cards = ["/records/cards/c-1.json", "/records/cards/c-2.json"]

    drawing = drawn_tree([*loans, *cards], longest_listing=1)

    assert drawing.splitlines() == [
        "/",
        "  records/",
        "    loans/ (2: l-1.json ..)",
        "    cards/ (2: c-1.json ..)",
    ]


def test_a_folder_that_was_not_listed_is_drawn_as_such() -> None:
    """The files of the folder `huge` are missing, so the number of files in `old` is not known."""
    files = ["/docs/old/a.md", "/docs/old/b.md", f"/docs/old/huge/{UNLISTED}"]

    short_drawing = drawn_tree(files, longest_listing=1, root="/docs")
    long_drawing = drawn_tree(files, longest_listing=9, root="/docs")

    assert short_drawing.splitlines() == ["docs/", "  old/ (2 or more: a.md ..)"]
    assert long_drawing.splitlines() == [
        "docs/",
        "  old/",
        "    a.md",
        "    b.md",
        "    huge/ (not listed)",
    ]
