"""The rules of `.gitignore` files: each rule is asked about a file or folder itself, never about the folders above.

Matching takes time in proportion to pattern and path, whatever the pattern.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 131_072
MOST_RULES: Final = 1_000
ANY_PARTS: Final = "**"
_ESCAPED: Final = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of a `.gitignore`."""

    ignores: bool
    """False for a line that cancels earlier lines."""
    only_folders: bool
    globs: tuple[re.Pattern[str] | None, ...]
    """The pattern for each part of a path; None for any number of parts."""

    def fits(self, parts: Sequence[str]) -> bool:
        """Say whether the rule is about a path, given by its parts below the rule's folder."""
        globs = self.globs
        if len(globs) == 2 and globs[0] is None and globs[1] is not None:
            return globs[1].match(parts[-1]) is not None
        part = glob = 0
        back_to: tuple[int, int] | None = None
        while part < len(parts):
            if glob < len(globs) and globs[glob] is None:
                glob += 1
                back_to = (part, glob)
            elif glob < len(globs) and globs[glob].match(parts[part]):  # type: ignore[union-attr] # None comes above
                part, glob = part + 1, glob + 1
            elif back_to is not None:
                part, glob = back_to[0] + 1, back_to[1]
                back_to = (part, glob)
            else:
                return False
        return glob == len(globs)


Ignores = tuple[tuple[str, tuple[IgnoreRule, ...]], ...]
"""The rules above a path, the outermost first, with the folder of each rule's file."""


def rules_above(folder: Path) -> Ignores:
    """Return the rules of the folders above, up to the one that holds `.git`."""
    above: list[Path] = []
    for parent in folder.parents if not (folder / ".git").exists() else ():
        above.insert(0, parent)
        if (parent / ".git").exists():
            return tuple(rules for place in above for rules in rules_of(place))
    return ()


def rules_of(folder: Path) -> Ignores:
    """Return the rules of a folder's own `.gitignore`; none if the folder has no readable one."""
    place = folder / ".gitignore"
    try:
        status = place.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            return ()
        lines = place.read_text("utf-8-sig", "replace").split("\n")
    except OSError:
        return ()
    return ((f"{folder}/", tuple(_rules_in(lines))[-MOST_RULES:]),)


def is_ignored(place: str, rules: Ignores, *, is_folder: bool) -> bool:
    """Say whether the last rule about a path ignores it."""
    for folder, own in reversed(rules):
        parts = place.removeprefix(folder).split("/")
        for rule in reversed(own):
            if (is_folder or not rule.only_folders) and rule.fits(parts):
                return rule.ignores
    return False


def _rules_in(lines: Sequence[str]) -> Iterator[IgnoreRule]:
    for written in lines:
        line = re.sub(r"(?<!\\)[ \r]+$", "", written)
        if not line.strip("/") or line.startswith("#"):
            continue
        ignores = not line.startswith("!")
        line = line.removeprefix("!")
        pattern = line.rstrip("/")
        parts = pattern.removeprefix("/").split("/")
        if "/" not in pattern:
            parts.insert(0, ANY_PARTS)
        if parts[-1] == ANY_PARTS:
            parts.append("*")
        yield IgnoreRule(ignores, line.endswith("/"), tuple(map(_glob, parts)))


def _glob(part: str) -> re.Pattern[str] | None:
    if part == ANY_PARTS:
        return None
    plain = _ESCAPED.sub(lambda found: f"[{found[1]}]" if found[1] in "*?[" else found[1], part)
    return re.compile(translate(plain.replace("[^", "[!")))
