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
    """Yield the path and text of all files that scripts wrote, then of the files at `paths`.

    The first ones are yielded even if `paths` lacks them, because a search looks at them, too.
    A deleted file has an empty text. Texts of the parent process come in batches and are
    not kept.
    """
    for path, text in tree.changes.items():
        yield path, text or ""
    remaining = [path for path in paths if path not in tree.changes]
    while remaining:
        # The texts of the first files of the batch: as many as fit in one message.
        texts = cast("list[str | None]", ask_parent(*remaining[:BATCH_FILES]))
        for path, text in zip(remaining, texts, strict=False):
            yield path, text or ""
        # Without any, the first text alone is too long for a message. It is left out.
        done_files = len(texts) or 1
        remaining = remaining[done_files:]


def text_of(tree: FileTree, path: str) -> str:
    """Return the text of one file; empty if it is gone, or too long for a message."""
    for yielded_path, text in texts_of(tree, [path]):
        if yielded_path == path:  # The others are files that scripts wrote.
            return text
    return ""
