"""Finds files that are versions of one another, so that an answer does not use an old one.

Names may have dates or version numbers (`version_names`), or words such as `corrected`
(`corrected_copies`). Or a Markdown file says `replaces: fees-2025.md` (`front_matter`). Such
files form a family, a list of paths with the newest first: `["/fees 2026.md", "/fees 2025.md"]`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from controlplane.benchmarks.files.sources.corrected_copies import (
    families_by_correction,
)
from controlplane.benchmarks.files.sources.front_matter import families_by_front_matter
from controlplane.benchmarks.files.sources.version_names import families_by_name


def versions_of(
    paths: Collection[str], first_bytes_of: Callable[[str, int], bytes | None]
) -> list[list[str]]:
    """Return the families of files, each newest first.

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
