"""The rules of `.gitignore` files, as git reads them: the last rule about a file or folder decides."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import re2
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from controlplane.sandbox.files import read_whole

MOST_FILE_BYTES: Final = 131_072
MOST_LINES: Final = 1_000


@dataclass(frozen=True, slots=True)
class FolderRules:
    """The rules of one `.gitignore` file."""

    prefix: str
    """The path of its folder with a slash at the end, which its patterns do not hold."""
    patterns: re2.Set
    ignores: tuple[bool, ...]
    """Whether each pattern ignores a path; one that does not cancels those before it."""


Rules: TypeAlias = tuple[FolderRules, ...]
"""The rules of the folders above a path, the outermost first."""


def rules_above(folder: Path) -> Rules:
    """Return the rules of the folders above, up to the one that holds `.git`."""
    if (folder / ".git").exists():
        return ()
    above: list[Path] = []
    for parent in folder.parents:
        above.insert(0, parent)
        if (parent / ".git").exists():
            rules: list[FolderRules] = []
            for place in above:
                rules += rules_of(place)
            return tuple(rules)
    return ()


def rules_of(folder: Path) -> Rules:
    """Return the rules of a folder's own `.gitignore`; none if the folder has no readable one."""
    try:
        file = read_whole(folder / ".gitignore", folder, MOST_FILE_BYTES)
    except OSError:
        return ()
    if file is None:
        return ()
    options = re2.Options()
    options.log_errors = False
    patterns = re2.Set.SearchSet(options)
    ignores: list[bool] = []
    for line in file[0].decode("utf-8-sig", "replace").split("\n")[-MOST_LINES:]:
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
    """Return a pattern that a folder fits, but not what is in it: each folder is asked about before its files."""
    pattern = pattern.replace("(?P<ps_d>/)", "/$")
    if pattern.endswith("/"):
        return f"{pattern}."
    return pattern


def is_ignored(place: str, rules: Rules, *, is_folder: bool) -> bool:
    """Say whether the last rule about a path ignores it."""
    for folder in reversed(rules):
        path = place.removeprefix(folder.prefix)
        if is_folder:
            path += "/"
        matches: list[int] = folder.patterns.Match(path)
        if matches:
            return folder.ignores[max(matches)]
    return False
