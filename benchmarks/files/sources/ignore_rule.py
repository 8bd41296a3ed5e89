"""One line of a `.gitignore` file as a regular expression.

`build/` becomes `^(?:.+/)?build/$`, which matches the path of a folder with this name:
`build/` and `web/build/`. The paths of folders end with a slash.
"""

from __future__ import annotations

from dataclasses import dataclass

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """A rule for the paths below the folder of its `.gitignore` file."""

    pattern: str
    """The regular expression for the paths, such as `web/build/`."""
    ignores: bool
    """True to ignore the paths; False to keep them, for a line that begins with `!`."""


def ignore_rule(line: str) -> IgnoreRule | None:
    """Return the rule of a line; None for an empty line, a comment or, as in git, an invalid line."""
    try:
        pattern, ignores = GitIgnoreSpecPattern.pattern_to_regex(line.rstrip("\r"))
    except ValueError:
        return None
    if pattern is None or ignores is None:
        return None
    return IgnoreRule(_without_paths_below(str(pattern)), ignores)


def _without_paths_below(pattern: str) -> str:
    """Change a pattern of the library so that it does not match the paths below a folder.

    Ignored folders are never entered, so only the paths of the folders themselves occur.

    | line       | pattern of the library         | result                    |
    | ---------- | ------------------------------ | ------------------------- |
    | `build/`   | `^(?:.+/)?build(?P<ps_d>/)`    | `^(?:.+/)?build/$`        |
    | `docs/**`  | `^docs/`                       | `^docs/.`                 |
    """
    pattern = pattern.replace("(?P<ps_d>/)", "/$")
    if pattern.endswith("/"):
        return f"{pattern}."  # anything in the folder, but not the folder itself
    return pattern
