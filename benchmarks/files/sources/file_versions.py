"""Finds files that are versions of one another, so that an answer does not use an old one.

Names may have dates, version numbers, or words such as `corrected`. Or a Markdown file says
`replaces: fees-2025.md` at its start. Such files form a family, a list of paths with the
newest first: `["/fees 2026.md", "/fees 2025.md"]`.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Final

import yaml

_YEAR: Final = r"(?:19|20)\d\d"
_MONTH: Final = r"[01]\d"
_DAY: Final = r"[0-3]\d"
_DATES_AND_VERSIONS: Final = (
    rf"{_YEAR}-{_MONTH}(?:-{_DAY})?",  # 2025-01, 2025-01-31
    rf"{_YEAR}_{_MONTH}(?:_{_DAY})?",
    rf"{_YEAR}\.{_MONTH}(?:\.{_DAY})?",
    rf"{_YEAR}{_MONTH}(?:{_DAY})?",
    _YEAR,
    r"[vV]\d+(?:\.\d+)*",  # v2, v1.4
    r"\d+(?:\.\d+)+",  # 1.4
)
VERSION: Final = re.compile(
    rf"(?<![0-9A-Za-z])(?:{'|'.join(_DATES_AND_VERSIONS)})(?![0-9A-Za-z])"
)
"""A date or version number in a file's name, not next to another letter or digit."""
_DATE_START: Final = re.compile(_YEAR)
_CORRECTED: Final = """
    corrected correction revised revision amended amendment updated erratum korrigiert korrektur berichtigt
    ueberarbeitet überarbeitet corrigé corrige rectifié corregido corregida corretto rettificato corrigido
    gecorrigeerd poprawiony poprawione korekta opraveno rättad rettet korrigerad 訂正 訂正版 修正 修正版
"""
CORRECTED_WORDS: Final = frozenset(_CORRECTED.split())
"""Words that mark a corrected copy in a file's name, in European languages and Japanese."""
_NAME_SIGNS: Final = re.compile(r"[\s_.()\[\]-]+")
OLDER_KEYS: Final = ("replaces", "supersedes")
"""Keys of front matter whose values are older versions."""
NEWER_KEYS: Final = ("replaced_by", "superseded_by")
"""Keys of front matter whose values are newer versions."""
MARKDOWN_SUFFIXES: Final = (".md", ".markdown", ".mdx")
MAX_MARKDOWN_FILES: Final = 5_000
"""If there are more Markdown files, no front matter is read, because it would take too long."""
FRONT_MATTER_BYTES: Final = 4_096
"""The bytes at the start of a file in which front matter is looked for."""


def versions_of(
    paths: Collection[str], first_bytes_of: Callable[[str, int], bytes | None]
) -> list[list[str]]:
    """Return the groups of files that are versions of one another, each newest first.

    `first_bytes_of(path, count)` returns the first bytes of a file, or None if it cannot
    be read.
    """
    families = families_by_name(paths)
    families += families_by_correction(paths)
    families += families_by_front_matter(paths, first_bytes_of)
    different = []
    for family in families:
        if family not in different:
            different.append(family)
    return different


def families_by_name(paths: Collection[str]) -> list[list[str]]:
    """Return the files of a folder whose names differ only in dates or versions, newest first."""
    families: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        if VERSION.search(name):
            common_name = VERSION.sub(_placeholder_of_version, name)
            families[folder, common_name].append(path)
    sorted_families = []
    for family in families.values():
        if len(family) > 1:
            sorted_families.append(sorted(family, key=_version_key, reverse=True))
    return sorted_families


def _placeholder_of_version(version: re.Match[str]) -> str:
    """Return the placeholder for a version in the name that a family shares.

    It is `#v` for `v2` and `1.4`, and `#date` with the number of digits for a date:
    `#date4` for `2025`, `#date8` for `2025-01-31`. So a report of a year and a report
    of a day are not versions of one another.
    """
    text = version[0]
    if _DATE_START.match(text) is None:
        return "#v"
    digits = sum(character.isdigit() for character in text)
    return f"#date{digits}"


def families_by_correction(paths: Collection[str]) -> list[list[str]]:
    """Return pairs of a corrected copy and its original: `fees (corrected).md` and `fees.md`."""
    originals = {}
    for path in paths:
        originals[_words_of_name(path)] = path
    pairs = []
    for path in paths:
        folder, words = _words_of_name(path)
        plain_words = tuple(word for word in words if word not in CORRECTED_WORDS)
        original = originals.get((folder, plain_words))
        if original is not None and len(plain_words) < len(words):
            pairs.append([path, original])
    return pairs


def _words_of_name(path: str) -> tuple[str, tuple[str, ...]]:
    """Return a path's folder and the words of its name, including the suffix."""
    folder, _, name = path.rpartition("/")
    words = _NAME_SIGNS.split(unicodedata.normalize("NFC", name).casefold())
    return folder, tuple(word for word in words if word)


def families_by_front_matter(
    paths: Collection[str], first_bytes_of: Callable[[str, int], bytes | None]
) -> list[list[str]]:
    """Return pairs of a newer and an older Markdown file, by lines such as `replaces: fees.md`.

    Such lines are in the front matter, between `---` and `---` at the start of the file.
    `first_bytes_of(path, count)` returns the first bytes of a file, or None if it cannot
    be read.
    """
    markdown_files = [
        path for path in paths if path.lower().endswith(MARKDOWN_SUFFIXES)
    ]
    if len(markdown_files) > MAX_MARKDOWN_FILES:
        return []
    pairs = []
    for path in markdown_files:
        beginning = first_bytes_of(path, FRONT_MATTER_BYTES) or b""
        for key, names in front_matter(beginning).items():
            for named_path in _named_files(names, path, paths):
                # The newer file comes first.
                if key in NEWER_KEYS:
                    pairs.append([named_path, path])
                else:
                    pairs.append([path, named_path])
    return pairs


def front_matter(head: bytes) -> dict[str, list[str]]:
    """Return the older or newer versions that a Markdown file's front matter names, by key.

    Example: `{"replaces": ["fees-2024.md"]}` if the file begins with `---`,
    `replaces: fees-2024.md`, `---`.
    """
    keys = (*OLDER_KEYS, *NEWER_KEYS)
    text = head.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    text_before, _, rest = text.partition("---\n")
    matter, end, _ = rest.partition("\n---")
    has_front_matter = text_before == "" and end != ""
    # Parsing takes time, so look for the keys first.
    if not has_front_matter or not any(key in matter for key in keys):
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
            value = fields[key]
            names = value if isinstance(value, list) else [value]
            named[key] = [name for name in names if isinstance(name, str)]
    return named


def _named_files(names: list[str], path: str, paths: Collection[str]) -> list[str]:
    """Return the existing files that a file names. The names are relative to its folder."""
    folder = posixpath.dirname(path)
    places = {posixpath.normpath(posixpath.join(folder, name)) for name in names}
    return [place for place in sorted(places) if place in paths and place != path]


def _version_key(path: str) -> list[list[int]]:
    """Return the numbers in a name's dates and versions, as a sort key from old to new.

    Example: `report 2025-01-31 v1.4.md` -> `[[20250131], [1, 4]]`.
    """
    key = []
    for version in VERSION.findall(path.rpartition("/")[2]):
        if _DATE_START.match(version):
            key.append([int("".join(re.findall(r"\d", version)))])
        else:
            key.append([int(number) for number in re.findall(r"\d+", version)])
    return key
