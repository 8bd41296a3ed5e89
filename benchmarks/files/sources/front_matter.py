"""Finds older and newer versions that Markdown files name themselves: `replaces: fees-2025.md`.

Such a line is in the front matter: fields in YAML between `---` and `---` at the start of the
file. Each pair of a newer and an older file becomes a family, a list with the newer path first.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection
from typing import Final

from controlplane.sandbox.interface.foreign_documents import Unreadable, parse_yaml

OLDER_KEYS: Final = ("replaces", "supersedes")
"""Keys of front matter whose values are older versions."""
NEWER_KEYS: Final = ("replaced_by", "superseded_by")
"""Keys of front matter whose values are newer versions."""
MARKDOWN_SUFFIXES: Final = (".md", ".markdown", ".mdx")
MAX_MARKDOWN_FILES: Final = 5_000
"""If there are more Markdown files, no front matter is read, because it would take too long."""
FRONT_MATTER_BYTES: Final = 4_096
"""The bytes at the start of a file in which front matter is looked for."""


def families_by_front_matter(
    paths: Collection[str], first_bytes_of: Callable[[str, int], bytes | None]
) -> list[list[str]]:
    """Return pairs of a newer and an older Markdown file, by lines such as `replaces: fees.md`.

    If `/fees-2026.md` has this line -> `[["/fees-2026.md", "/fees.md"]]`.
    `first_bytes_of(path, count)` returns the first bytes of a file, or None if it cannot be
    read.
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
    matter = _text_of_front_matter(head)
    # Parsing takes time, so look for the keys first.
    if not any(key in matter for key in keys):
        return {}
    try:
        fields = parse_yaml(matter)
    except Unreadable:
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


def _text_of_front_matter(head: bytes) -> str:
    """Return the text between the lines `---` at the start of a file; empty if there is none."""
    text = head.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    text_before, _, rest = text.partition("---\n")
    matter, end, _ = rest.partition("\n---")
    if text_before == "" and end != "":
        return matter
    return ""


def _named_files(names: list[str], path: str, paths: Collection[str]) -> list[str]:
    """Return the existing files that a file names. The names are relative to its folder.

    `["../fees.md"]` in `/new/fees.md` -> `["/fees.md"]`. A file that names itself is ignored.
    """
    folder = posixpath.dirname(path)
    places = {posixpath.normpath(posixpath.join(folder, name)) for name in names}
    return [place for place in sorted(places) if place in paths and place != path]
