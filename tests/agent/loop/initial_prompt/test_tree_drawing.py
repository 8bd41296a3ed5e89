"""The files that the call `tree` has listed, and how the first message draws them.

`drawn_tree` draws paths such as `/docs/old/a.md`, a folder or file a line. A folder with more files
than the longest listing takes one line, with their number and the first of them:

    docs/
      old/ (2: a.md ..)
"""

from __future__ import annotations

from controlplane.agent.retrieval.listing.listed_files import ListedFiles
from controlplane.agent.retrieval.listing.tree_drawing import drawn_tree
from controlplane.agent.retrieval.listing.unlisted_files import UNLISTED, paths_of_tree
from controlplane.sandbox.interface import Plain

# The files of a tree
# --------------------------------------------------------------------------------------------------------------


def file(name: str) -> dict[str, Plain]:
    """Return a file as the call `tree` returns it."""
    return {"name": name, "is_dir": False}


def folder(name: str, children: list[Plain] | None) -> dict[str, Plain]:
    """Return a folder as the call `tree` returns it. Without `children`, it was not listed."""
    return {"name": name, "is_dir": True, "children": children}


def test_a_tree_has_the_paths_of_its_files() -> None:
    """The folder `huge` was too large to be listed, so its path stands for files that are not known.
    The tree was listed from `/docs` on, with eight levels."""
    old = folder("old", [file("a.md"), file("b.md"), folder("huge", None)])
    docs = folder("docs", [old])

    assert paths_of_tree(docs, "/docs", level=8) == [
        "/docs/old/a.md",
        "/docs/old/b.md",
        f"/docs/old/huge/{UNLISTED}",
    ]


def test_a_file_that_is_listed_twice_is_kept_once() -> None:
    """The second listing of the folder has one of its files and a new one."""
    listed = ListedFiles()

    listed.add("/", ["/a.md", "/b.md"])
    listed.add("/", ["/a.md", "/c.md"])

    assert listed.below("/") == ["/a.md", "/b.md", "/c.md"]


# The drawing
# --------------------------------------------------------------------------------------------------------------


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


def test_a_folder_that_could_not_be_listed_is_drawn_as_such() -> None:
    """The folder `huge` was too large, so that the number of files in `old` is not known."""
    files = ["/docs/old/a.md", "/docs/old/b.md", f"/docs/old/huge/{UNLISTED}"]

    short_drawing = drawn_tree(files, longest_listing=1, root="/docs")
    long_drawing = drawn_tree(files, longest_listing=9, root="/docs")

    assert short_drawing.splitlines() == ["docs/", "  old/ (2 or more: a.md ..)"]
    assert long_drawing.splitlines() == [
        "docs/",
        "  old/",
        "    a.md",
        "    b.md",
        "    huge/ (too large to be listed)",
    ]
