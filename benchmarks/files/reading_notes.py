"""Facts that the text of a file does not show, such as merged cells or its encoding.

Results of calls tell them as notes, such as `read as windows-1252`. Without the note, a model
could take a wrongly decoded letter for the author's.
"""

from __future__ import annotations

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import Plain


def notes_of(path: str, sources: SourceFiles, tree: FileTree) -> list[str]:
    """Return the facts about a file, or about all parts of a document, such as a PDF's pages."""
    notes: list[str] = []
    for part in sources.parts.get(path, [path]):
        notes += sources.notes.get(part, ())
    # A file that a script has written is a text in memory: nothing was decoded.
    if path not in tree.changes and path in sources.encodings:
        notes.append(f"read as {sources.encodings[path]}")
    return notes


def with_notes(
    table: dict[str, Plain], sources: SourceFiles, tree: FileTree
) -> dict[str, Plain]:
    """Return the result of a query, with notes on how the table's file was read.

    They come first in its field `assumed`, which says what was assumed to read the table.
    """
    path = str(table["path"])
    notes: list[Plain] = []
    for note in notes_of(path, sources, tree):
        notes.append(f"{path}: {note}")
    assumed = table["assumed"]
    assert isinstance(assumed, list)
    return {**table, "assumed": notes + assumed}
