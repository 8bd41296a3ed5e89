"""Files that are versions of one another, by their names or by the front matter of Markdown."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Final

import yaml

VERSION: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:(?:19|20)\d\d(?:-[01]\d(?:-[0-3]\d)?|_[01]\d(?:_[0-3]\d)?|\.[01]\d(?:\.[0-3]\d)?|"
    r"[01]\d(?:[0-3]\d)?)?|[vV]\d+(?:\.\d+)*|\d+(?:\.\d+)+)(?![0-9A-Za-z])"
)
"""A date as 2025, 2025-01-31 or 20250131, or a version as v2 or 1.4."""
OLDER_KEYS: Final = ("replaces", "supersedes")
"""Keys of front matter that name older versions."""
NEWER_KEYS: Final = ("replaced_by", "superseded_by")
MARKDOWN_SUFFIXES: Final = (".md", ".markdown", ".mdx")
MOST_NOTES: Final = 5_000
"""Markdown files whose front matter is read; more are not looked at, for the time it takes."""
HEAD_BYTES: Final = 4_096
"""The beginning of a file in which its front matter is."""


def families_by_name(paths: Collection[str]) -> list[list[str]]:
    """Return the files of a folder whose names differ by dates or versions alone, newest first."""
    families: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        if VERSION.search(name):
            families[folder, VERSION.sub("#", name)].append(path)
    groups = []
    for family in families.values():
        if len(family) > 1:
            groups.append(sorted(family, key=_version_key, reverse=True))
    return groups


def families_by_front_matter(
    paths: Collection[str], head_of: Callable[[str, int], bytes | None]
) -> list[list[str]]:
    """Return pairs of a newer and an older file, as the front matter of one of them names the other."""
    notes = [path for path in paths if path.lower().endswith(MARKDOWN_SUFFIXES)]
    if len(notes) > MOST_NOTES:
        return []
    pairs = []
    for path in notes:
        for key, names in front_matter(head_of(path, HEAD_BYTES) or b"").items():
            for other in _named_files(names, path, paths):
                pairs.append([other, path] if key in NEWER_KEYS else [path, other])
    return pairs


def front_matter(head: bytes) -> dict[str, list[str]]:
    """Return the files that a Markdown file's front matter names as older or newer versions, by key."""
    keys = (*OLDER_KEYS, *NEWER_KEYS)
    text = head.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    before, _, rest = text.partition("---\n")
    matter, end, _ = rest.partition("\n---")
    if before or not end or not any(key in matter for key in keys):
        return {}
    try:
        fields = yaml.safe_load(matter)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    if not isinstance(fields, dict):
        return {}
    named = {}
    for key in keys:
        if key in fields:
            values = fields[key] if isinstance(fields[key], list) else [fields[key]]
            named[key] = [name for name in values if isinstance(name, str)]
    return named


def _named_files(names: list[str], path: str, paths: Collection[str]) -> list[str]:
    """Return the existing files that names beside a file mean."""
    folder = posixpath.dirname(path)
    places = {posixpath.normpath(posixpath.join(folder, name)) for name in names}
    return [place for place in sorted(places) if place in paths and place != path]


def _version_key(path: str) -> list[list[int]]:
    """Return the numbers of a name's dates and versions, by which newer ones come later."""
    key = []
    for version in VERSION.findall(path.rpartition("/")[2]):
        key.append([int(number) for number in re.findall(r"\d+", version)])
    return key
