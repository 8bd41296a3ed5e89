"""The rules of `.gitignore` files, as git reads them: the last rule about a file or folder decides."""

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
"""Only the last lines of a longer file are read, since later rules count for more."""


@dataclass(frozen=True, slots=True)
class FolderRules:
    """The rules of one `.gitignore` file."""

    prefix: str
    """The path of its folder with a slash at the end. The patterns are about paths below it."""
    patterns: re2.Set
    """All patterns of the file. A search returns the numbers of those that fit a path."""
    ignores: tuple[bool, ...]
    """Whether each pattern ignores a path. One that begins with `!` cancels those before it."""


Rules: TypeAlias = tuple[FolderRules, ...]
"""The rules of the folders above a path, the outermost first."""


def rules_above(folder: Path) -> Rules:
    """Return the rules of the folders above, up to the root of the repository, which holds `.git`.

    There are none for that root itself, and outside of a repository.
    """
    if (folder / ".git").exists():
        return ()
    folders_above: list[Path] = []
    for parent in folder.parents:
        folders_above.append(parent)
        if (parent / ".git").exists():
            rules: list[FolderRules] = []
            for folder_above in reversed(folders_above):
                rules += rules_of(folder_above)
            return tuple(rules)
    return ()


def rules_of(folder: Path) -> Rules:
    """Return the rules of a folder's own `.gitignore`; none if the folder has no readable one."""
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
        with suppress(ValueError, re2.error):  # git skips what it cannot read, too
            pattern, is_ignored = GitIgnoreSpecPattern.pattern_to_regex(line.rstrip("\r"))
            if pattern is not None and is_ignored is not None:
                patterns.Add(_of_the_path_itself(str(pattern)))
                ignores.append(is_ignored)
    patterns.Compile()
    if not ignores:
        return ()
    return (FolderRules(f"{folder}/", patterns, tuple(ignores)),)


def _of_the_path_itself(pattern: str) -> str:
    """Return a regular expression of the library without the paths below a folder that fits.

    Whoever walks through the folders asks about each folder first, and does not enter one that is ignored.
    """
    # `build/` is `^(?:.+/)?build(?P<ps_d>/)`, which fits the folder and all in it.
    pattern = pattern.replace("(?P<ps_d>/)", "/$")
    if pattern.endswith("/"):
        return f"{pattern}."  # `docs/**` is about what is in the folder.
    return pattern


def is_ignored(place: str, rules: Rules, *, is_folder: bool) -> bool:
    """Return True if the last rule about a path ignores it."""
    for folder in reversed(rules):
        path = place.removeprefix(folder.prefix)
        if is_folder:
            path += "/"
        matches: list[int] = folder.patterns.Match(path)
        if matches:
            return folder.ignores[max(matches)]
    return False
