"""The files that the call `tree` has listed, by their paths.

A folder whose files were not listed is in the result without children. Its path ends in
`UNLISTED`, which stands for files that are not known.
"""

from controlplane.agent.retrieval.listing import UNLISTED, ListedFiles, paths_of_tree
from controlplane.sandbox.interface import Plain


def file(name: str) -> dict[str, Plain]:
    """Return a file as the call `tree` returns it."""
    return {"name": name, "is_dir": False}


def folder(name: str, children: list[Plain] | None) -> dict[str, Plain]:
    """Return a folder as the call `tree` returns it. Without `children`, it was not listed."""
    return {"name": name, "is_dir": True, "children": children}


def test_a_tree_has_the_paths_of_its_files() -> None:
    """The files of the folder `huge` were not listed, so its path stands for files that are not known.
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
