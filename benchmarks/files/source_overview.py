"""What the model is told about a question's files in addition to their names.

These are the files that are left out, too large to read at once, or versions of one
another, and notes on what the texts of documents cannot show. A model that does not know that
`/fees 2025.md` is an old version might answer by it.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.files.question_schema import HAS_TABLES
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import is_table
from controlplane.benchmarks.files.sources.left_out_text import reasons_text
from controlplane.sandbox.interface import Plain, bounds

SHOWN_FAMILIES: Final = 30
SHOWN_FILES_OF_FAMILY: Final = 30
SHOWN_NOTES: Final = 50
"""The number of documents whose notes are shown."""
SHOWN_LINES: Final = 1_000
"""The number of lines in the example call for a large file."""


def overview(sources: SourceFiles) -> dict[str, Plain]:
    """Return the result of the call `sources`.

    `{"left_out": ["hidden (.git)"], "versions": [["/plan-v2.md", "/plan-v1.md"]],
    "notes": ["/a.xlsx/sheet-A.csv: the sheet is hidden"], "truncated": False}`
    """
    is_cut = (
        len(sources.large) > bounds.SHOWN_FILES
        or len(sources.versions) > SHOWN_FAMILIES
        or any(len(family) > SHOWN_FILES_OF_FAMILY for family in sources.versions)
        or len(sources.notes) > SHOWN_NOTES
    )
    return {
        "left_out": _left_out(sources),
        "versions": _versions(sources),
        "notes": _notes(sources),
        "truncated": is_cut,
    }


def _left_out(sources: SourceFiles) -> list[Plain]:
    """Return a line on the files that are skipped, and a line for each large file.

    `a link (b.md); hidden (.git)`
    `/log.txt: harness.read('/log.txt', start_line=1, end_line=1000) or ... opens a part of it`
    """
    shown: list[Plain] = []
    reasons = reasons_text(sources)
    if reasons:
        shown.append(reasons)
    for path in sorted(sources.large)[: bounds.SHOWN_FILES]:
        shown.append(f"{path}: {_part_calls(path, SHOWN_LINES)} opens a part of it")
    return shown


def _versions(sources: SourceFiles) -> list[Plain]:
    """Return families of files, which are versions of one another, each with the newest first.

    `[["/plan-v2.md", "/plan-v1.md"]]`
    """
    shown: list[Plain] = []
    for family in sources.versions[:SHOWN_FAMILIES]:
        shown.append(list[Plain](family[:SHOWN_FILES_OF_FAMILY]))
    return shown


def _notes(sources: SourceFiles) -> list[Plain]:
    """Return what the texts of documents cannot show: `/a.xlsx: the sheet is hidden`."""
    shown: list[Plain] = []
    for path in list(sources.notes)[:SHOWN_NOTES]:
        for note in sources.notes[path]:
            shown.append(f"{path}: {note}")
    return shown


def too_large(path: str, text: str) -> str:
    """Return the message for a file that is too large to be read as a whole."""
    lines = text.count("\n") + 1
    fitting_lines = bounds.MOST_READ_CHARS * lines // len(text)
    if fitting_lines > 1_000:
        fitting_lines -= fitting_lines % 1_000  # Round down to thousands.
    calls = _part_calls(path, max(fitting_lines, 1))
    return (
        f"{path} has {lines:,} lines and {len(text):,} characters: {calls} opens a part"
    )


def _part_calls(path: str, end_line: int) -> str:
    """Return the calls that open a part of a large file, such as its lines up to `end_line`."""
    calls = [
        f"harness.read({path!r}, start_line=1, end_line={end_line})",
        f"harness.read({path!r}, start_char=1)",
    ]
    if HAS_TABLES and is_table(path):
        calls.append(f"harness.table({path!r}, where=...)")
    else:
        calls.append(f"harness.search(pattern, root={path!r})")
    return " or ".join(calls)
