"""The texts of files, for calls that run in a trial's worker process.

The worker has only the files that scripts wrote. It asks its parent process for the texts of
all others, when a call needs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

from controlplane.sandbox.child.parent_connection import ask_parent
from controlplane.sandbox.files.file_tree import FileTree

BATCH_FILES: Final = 200
"""The number of files whose texts are requested from the parent process at once."""


def texts_of(tree: FileTree, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and text of all files that scripts wrote, then of the given files.

    The first ones are there whatever `paths` has, because a search looks at them, too. A
    deleted file has an empty text. Texts of the parent process come in batches and are not
    kept.
    """
    for path, text in tree.changes.items():
        yield path, text or ""
    remaining = [path for path in paths if path not in tree.changes]
    while remaining:
        texts = cast("list[str | None]", ask_parent(*remaining[:BATCH_FILES]))
        # A reply has only as many texts as fit in one message. The others are requested again.
        for path, text in zip(remaining, texts, strict=False):
            yield path, text or ""
        if texts:
            remaining = remaining[len(texts) :]
        else:  # The first text alone is too long for a message. It cannot be searched.
            remaining = remaining[1:]


def text_of(tree: FileTree, path: str) -> str:
    """Return the text of one file; empty if it is gone."""
    for each_path, text in texts_of(tree, [path]):
        if each_path == path:  # The others are files that scripts wrote.
            return text
    return ""
