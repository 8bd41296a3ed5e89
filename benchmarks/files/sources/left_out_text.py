"""Tells which files of a folder are left out and why.

`skipped: a link (b.md); hidden (.env, .git)`

The user sees it before a question is asked, since an answer cannot use these files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox.interface import bounds

_SHOWN_NAME_CHARS: Final = 60


def left_out_text(sources: SourceFiles) -> str:
    """Return one line on which files are left out and why; empty if there are none."""
    reasons = reasons_text(sources)
    return f"skipped: {reasons}" if reasons else ""


def reasons_text(sources: SourceFiles) -> str:
    """Return each reason with its files: `a link (b.md); hidden (.env, .git)`."""
    files_by_reason = dict(sources.left_out)
    # A large file can be opened in parts. But searches leave it out, which has to be told.
    if sources.large:
        size = f"{sources.limits.file_mb:g} MB"
        reason = f"above {size}, read in part and as tables, not searched"
        files_by_reason[reason] = sorted(sources.large)
    parts = []
    for reason in sorted(files_by_reason):
        parts.append(f"{reason} ({_shortened_names(files_by_reason[reason])})")
    return "; ".join(parts)


def _shortened_names(paths: Sequence[str]) -> str:
    """Return a few of the paths, shortened at the start, and the number of the others."""
    names = []
    for path in paths[: bounds.SHOWN_EXAMPLES]:
        name = path.lstrip("/")
        if len(name) > _SHOWN_NAME_CHARS:
            name = f"…{name[-_SHOWN_NAME_CHARS:]}"
        names.append(name)
    if len(paths) > bounds.SHOWN_EXAMPLES:
        names.append(f"{len(paths) - bounds.SHOWN_EXAMPLES:,} more")
    return ", ".join(names)
