"""The call `read_many`: the texts of several files in one result.

`harness.read_many("*.md")` saves a script a call for each file. If the texts do not fit in one
result, it says where the next call starts.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.files.text_parts import json_size, text_part
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import Plain, bounds

ENTRY_BYTES: Final = 36
"""Bytes of a file in a `read_many` result besides its path and text: keys, line and JSON syntax."""


def read_many(tree: FileTree, files: str, root: str, start: int) -> dict[str, Plain]:
    """Return the texts of files below `root`: as many as fit in one result.

    `files` is a glob, such as `*.md`. `start` is the index of the first file to
    return: 0, or `next` of the call before. In the result, `cut` has the paths of
    files that are too long for one call, of which only the first part is returned.
    """
    paths = tree.paths(root, files)
    start = max(start, 0)
    entries: list[Plain] = []
    cut: list[Plain] = []
    remaining_bytes = bounds.MOST_RESULT_BYTES
    for path in paths[start:]:
        text = tree.text(path) or ""
        first_part = text_part(text)  # As much as one result can hold.
        remaining_bytes -= json_size([path, first_part.text]) + ENTRY_BYTES
        # Return at least one file, so that each call makes progress. Alone, its first part
        # fits in a result.
        if remaining_bytes < 0 and entries:
            break
        entries.append({"path": path, "line": 1, "text": first_part.text})
        if first_part.next_char:
            cut.append(path)

    end = start + len(entries)
    has_more = end < len(paths)
    return {
        "files": entries,
        "total": len(paths),
        "next": end if has_more else 0,
        "cut": cut,
        "truncated": has_more or bool(cut),
    }
