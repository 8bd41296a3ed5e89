"""What the evidence log knows of paths after one listing, a result that shows names of files.

`learn_from("/a", {"entries": [{"path": "/a/b", "is_dir": True}]})` returns
`Learnt(paths=["/a/b"], folders={"/a", "/a/b"})`.
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

    notes = known.learn_listing(requested_path, result)

    assert notes == ()  # There is no earlier path that the listing could correct.
    paths: list[str] = []
    # `by_key` is, for example, {"/a/x.md": ["/a/X.md", "/A/x.md"]}.
    for spellings in known.listings.paths.by_key.values():
        paths.extend(spellings)
    return Learnt(paths, known.listings.folders.paths)
