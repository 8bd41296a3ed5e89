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
"""The most lines that are read. Of a longer file these are the last ones, which take precedence."""


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
    """Return the rules of the folders above, up to the root of the repository, which has `.git`.

    Return none for that root, and outside a repository.
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
            pattern, is_ignored = GitIgnoreSpecPattern.pattern_to_regex(line.rstrip("\r"))
            if pattern is not None and is_ignored is not None:
                patterns.Add(_of_the_path_itself(str(pattern)))
                ignores.append(is_ignored)
    patterns.Compile()
    if not ignores:
        return ()
    return (FolderRules(f"{folder}/", patterns, tuple(ignores)),)


def _of_the_path_itself(pattern: str) -> str:
    """Return a pattern of the library changed to match a folder, but not the paths below it.

    Ignored folders are never entered, so the paths below them need no match.
    """
    # `build/` becomes `^(?:.+/)?build(?P<ps_d>/)`, which matches the folder and all in it.
    pattern = pattern.replace("(?P<ps_d>/)", "/$")
    if pattern.endswith("/"):
        return f"{pattern}."  # `docs/**` matches only what is in the folder.
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
