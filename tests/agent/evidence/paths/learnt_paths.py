"""What the evidence log knows of paths after one listing, a result that shows names of files.

    learn_from("/a", {"entries": [{"path": "/a/b", "is_dir": True}]})
    -> Learnt(paths=["/a/b"], folders={"/a", "/a/b"})

`/a` was listed, so it is a folder, too.
"""

from typing import NamedTuple

from controlplane.agent.evidence.paths.known_paths import KnownPaths


class Learnt(NamedTuple):
    """What is known after one listing."""

    paths: list[str]
    """All paths that it has shown, whether of files or of folders."""
    folders: set[str]
    """The paths that are known to be folders."""


def learn_from(requested_path: str, result: dict[str, object]) -> Learnt:
    """Return what is known after a call about this path. No path was known before."""
    known = KnownPaths()

    corrections = known.learn_listing(requested_path, result)

    # A listing may show that a path has been misspelt before. There was none.
    assert corrections == ()
    paths: list[str] = []
    # Such as {"/a/x.md": ["/a/X.md", "/A/x.md"]}: a key is a path in small letters.
    spellings_by_key = known.listings.paths.by_key
    for spellings in spellings_by_key.values():
        paths.extend(spellings)
    folders = known.listings.folders.paths
    return Learnt(paths, folders)
