"""The rules of `.gitignore` files. As in git, the last rule that matches a path decides."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import re2
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from controlplane.sandbox.files import read_whole

MAX_FILE_BYTES: Final = 131_072
MAX_LINES: Final = 1_000
"""The most lines that are read: the last of the file, because later rules override others."""


@dataclass(frozen=True, slots=True)
class FolderRules:
    """The rules of one `.gitignore` file."""

    prefix: str
    """The path of its folder with a final slash. Patterns apply to the paths below it."""
    patterns: re2.Set
    """All patterns of the file. A search returns the numbers of those that match a path."""
    ignores: tuple[bool, ...]
    """For each pattern, True if it ignores a path. A pattern with `!` cancels earlier ones."""


Rules: TypeAlias = tuple[FolderRules, ...]
"""The rules of the folders above a path, the outermost first."""


def rules_above(folder: Path) -> Rules:
    """Return the rules of the folders between a folder and the root of its repository.

    The root, which contains `.git`, is included. If the folder is the root itself, or
    is in no repository, there are no rules.
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
    """Return the rules of a folder's own `.gitignore`; none if there is no readable one."""
    try:
        file = read_whole(folder / ".gitignore", folder, MAX_FILE_BYTES)
    except OSError:
        return ()
    if file is None:
        return ()
    data, _ = file
    lines = data.decode("utf-8-sig", "replace").split("\n")
    options = re2.Options()
    options.log_errors = False
    patterns = re2.Set.SearchSet(options)
    ignores: list[bool] = []
    for line in lines[-MAX_LINES:]:
        with suppress(ValueError, re2.error):  # Like git, skip invalid lines.
            # The library returns None for comments and empty lines.
            pattern, is_ignoring = GitIgnoreSpecPattern.pattern_to_regex(
                line.rstrip("\r")
            )
            if pattern is not None and is_ignoring is not None:
                patterns.Add(_without_paths_below(str(pattern)))
                ignores.append(is_ignoring)
    patterns.Compile()
    if not ignores:
        return ()
    return (FolderRules(f"{folder}/", patterns, tuple(ignores)),)


def _without_paths_below(pattern: str) -> str:
    """Return a pattern of the library changed to match a folder, but not the paths below it.

    Ignored folders are never entered, so the paths below them need no match. Paths of
    folders end with a slash here.

    | rule       | pattern of the library         | result                    |
    | ---------- | ------------------------------ | ------------------------- |
    | `build/`   | `^(?:.+/)?build(?P<ps_d>/)`    | `^(?:.+/)?build/$`        |
    | `docs/**`  | `^docs/`                       | `^docs/.`                 |
    """
    pattern = pattern.replace("(?P<ps_d>/)", "/$")
    if pattern.endswith("/"):
        return f"{pattern}."  # anything in the folder, but not the folder itself
    return pattern


def is_ignored(place: str, rules: Rules, *, is_folder: bool) -> bool:
    """Return True if the last rule that matches a path ignores it."""
    for folder in reversed(rules):
        path = place.removeprefix(folder.prefix)
        if is_folder:
            path += "/"
        matches: list[int] = folder.patterns.Match(path)
        if matches:
            return folder.ignores[max(matches)]
    return False
