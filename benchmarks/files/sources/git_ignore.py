"""The rules of `.gitignore` files. As in git, the last rule that matches a path decides.

With the lines `*.log` and `!keep.log`, git ignores `a.log` and keeps `keep.log`. The files
of a question are found by the same rules.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import re2

from controlplane.benchmarks.files.sources.ignore_rule import (
    IgnoreRule,
    ignore_rule,
)
from controlplane.sandbox.files import read_whole

MAX_FILE_BYTES: Final = 131_072
MAX_LINES: Final = 1_000
"""The most lines of a file that are used: its last ones, because later rules override others."""


@dataclass(frozen=True, slots=True)
class FolderRules:
    """The rules of one `.gitignore` file."""

    prefix: str
    """The path of its folder with a final slash. The rules apply to the paths below it."""
    rules: tuple[IgnoreRule, ...]
    patterns: re2.Set
    """The patterns of all rules. A search returns the indexes of the rules that match a path."""

    def last_match(self, place: str, *, is_folder: bool) -> IgnoreRule | None:
        """Return the last rule that matches a path; None if no rule does."""
        path = place.removeprefix(self.prefix)
        if is_folder:
            path += "/"
        indexes: list[int] = self.patterns.Match(path)
        if not indexes:
            return None
        return self.rules[max(indexes)]


Rules: TypeAlias = tuple[FolderRules, ...]
"""The rules of all folders that a path is in, the outermost first."""


def rules_above(folder: Path) -> Rules:
    """Return the rules of the folders above a folder, up to the root of its repository.

    The root, which contains `.git`, is included; the folder's own rules are not. If the
    folder is the root itself, or is in no repository, there are no rules.
    """
    rules: list[FolderRules] = []
    for folder_above in _folders_above_in_repository(folder):
        rules += rules_of(folder_above)
    return tuple(rules)


def _folders_above_in_repository(folder: Path) -> list[Path]:
    """Return the folders above a folder in its repository, the root first."""
    if (folder / ".git").exists():
        return []
    folders_above: list[Path] = []
    for parent in folder.parents:
        folders_above.insert(0, parent)
        if (parent / ".git").exists():
            return folders_above
    return []


def rules_of(folder: Path) -> Rules:
    """Return the rules of a folder's own `.gitignore`, as a tuple of one; else an empty one."""
    lines = _last_lines_of_file(folder)
    if not lines:  # Most folders have no such file.
        return ()
    options = re2.Options()
    options.log_errors = False
    patterns = re2.Set.SearchSet(options)
    rules: list[IgnoreRule] = []
    for line in lines:
        rule = ignore_rule(line)
        if rule is not None:
            with suppress(re2.error):  # Like git, skip invalid lines.
                patterns.Add(rule.pattern)
                rules.append(rule)
    if not rules:
        return ()
    patterns.Compile()
    return (FolderRules(f"{folder}/", tuple(rules), patterns),)


def _last_lines_of_file(folder: Path) -> list[str]:
    """Return the last lines of a folder's `.gitignore`; none if it cannot be read."""
    try:
        file = read_whole(folder / ".gitignore", folder, MAX_FILE_BYTES)
    except OSError:
        return []
    if file is None:
        return []
    data, _mode = file
    lines = data.decode("utf-8-sig", "replace").split("\n")
    return lines[-MAX_LINES:]


def is_ignored(place: str, rules: Rules, *, is_folder: bool) -> bool:
    """Return True if the last rule that matches a path ignores it.

    The rules of inner folders come after those of outer folders.
    """
    for rules_of_folder in reversed(rules):
        last_rule = rules_of_folder.last_match(place, is_folder=is_folder)
        if last_rule is not None:
            return last_rule.ignores
    return False
