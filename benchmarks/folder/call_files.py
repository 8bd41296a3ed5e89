"""Finds the file that a call of a tool works on.

A pattern such as `/loans/*/{1}.json` names it: `{1}` is a part of the call's arguments,
and the asterisk stands for the name of any folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from controlplane.benchmarks.folder.placeholders import MatchedTexts
from controlplane.sandbox.files import compiled_pattern
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import CallError, error_codes


@dataclass(frozen=True, slots=True)
class CallFile:
    """A file as it is before the call."""

    path: str
    text: str

    @property
    def is_table(self) -> bool:
        """True if its lines are rows of a table."""
        return self.path.lower().endswith((".csv", ".tsv"))


def only_file(tree: FileTree, pattern: str, texts: MatchedTexts) -> CallFile:
    """Return the only file that a pattern names. Raises `CallError` if none or several match.

    Only an asterisk of the pattern stands for any name. A script that calls the tool with
    the argument `*` does not reach all files.
    """
    parts = []
    for part in pattern.split("*"):
        parts.append(re.escape(texts.fill(part)))
    path_pattern = compiled_pattern("[^/]*".join(parts))
    paths = [path for path in tree.paths() if path_pattern.fullmatch(path)]
    if len(paths) != 1:
        msg = f"{len(paths)} files fit {texts.fill(pattern)}"
        raise CallError(error_codes.NOT_FOUND, msg)
    return CallFile(paths[0], tree.text(paths[0]) or "")


def is_missing(tree: FileTree, pattern: str, texts: MatchedTexts) -> bool:
    """Return True if a pattern is one path, without an asterisk, and there is no such file.

    A call that appends a text then creates the file.
    """
    if "*" in pattern:
        return False
    return tree.resolve(texts.fill(pattern)) is None
