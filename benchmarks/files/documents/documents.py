"""Replaces the documents of a question, such as PDFs, by their texts.

A document becomes a folder with a file for each part: `/report.pdf` becomes
`/report.pdf/page-1`, `/report.pdf/page-2` and so on. So an answer can cite a page, and a script
can read one page of a long document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.documents.conversion import DocumentPart
from controlplane.benchmarks.files.documents.document_converter import (
    NOT_YET_READ,
    DocumentConverter,
)
from controlplane.benchmarks.files.sources.file_sources import MB, SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import MARKUP_SUFFIXES

UNUSUAL_IN_NAMES: Final = re.compile(r"[^\w .-]+")
"""Characters of a sheet's or attachment's name that a path should not have, such as `:`."""
MAX_PART_NAME_CHARS: Final = 60


def add_documents(sources: SourceFiles, suffixes: tuple[str, ...]) -> None:
    """Replace documents by their texts: one file for each page, sheet, message or attachment.

    A document that cannot be converted is left out with a reason, except HTML and mail,
    which stay as they are.
    """
    with ExitStack() as resources:
        documents = [path for path in sources.paths if path.lower().endswith(suffixes)]
        converter = DocumentConverter(resources, len(documents))
        for path in documents:
            _replace_document(sources, path, converter)
    sources.paths = dict(sorted(sources.paths.items()))


def _replace_document(
    sources: SourceFiles, path: str, converter: DocumentConverter
) -> None:
    """Replace a document by its parts, or leave it out with the reason."""
    suffix = Path(path).suffix.lower()
    conversion = converter.convert(suffix, sources.bytes_of(path) or b"")
    is_markup = suffix in MARKUP_SUFFIXES
    if conversion.fault and conversion.fault != NOT_YET_READ and is_markup:
        return  # HTML and mail can be read as they are, so the file stays.
    sources.remove(path)
    fault = conversion.fault or _fault_of_parts(conversion.parts, suffix, sources)
    if fault:
        sources.left_out.add(fault, path)
        return
    for part in conversion.parts:
        _add_part(sources, part, path)


def _fault_of_parts(
    parts: Sequence[DocumentPart], suffix: str, sources: SourceFiles
) -> str:
    """Return why the parts of a document cannot be added to the sources; empty if they can."""
    if not any(part.text for part in parts):
        return "no text: its pages are images" if suffix == ".pdf" else "empty"
    most_files = sources.limits.most_files
    if len(sources.paths) + len(parts) > most_files:
        return f"its {len(parts):,} parts are beyond {most_files:,.9g} files, --set most_files"
    max_mb = sources.limits.total_mb
    # A character has at least one byte.
    least_bytes = sum(len(part.text) for part in parts)
    if sources.total_bytes + least_bytes > max_mb * MB:
        return f"beyond {max_mb:,.6g} MB as text, --set total_mb"
    return ""


def _add_part(sources: SourceFiles, part: DocumentPart, document: str) -> None:
    """Add a part of a document as a separate file."""
    path = _path_of(part, document, sources)
    if path != document:
        sources.parts.setdefault(document, []).append(path)
    sources.add_text(path, part.text)
    if part.notes:
        sources.notes[path] = part.notes


def _path_of(part: DocumentPart, document: str, sources: SourceFiles) -> str:
    """Return the path of a part below its document: `/report.xlsx/sheet-Costs.csv`."""
    if not part.place:
        return document
    names = []
    for name in part.place.split("/"):
        usual_name = UNUSUAL_IN_NAMES.sub("-", name).strip(" .")
        names.append(usual_name[:MAX_PART_NAME_CHARS] or "part")
    path = "/".join([document, *names])
    if path in sources.paths:  # For example, a second attachment with the same name.
        path = f"{document}/{len(sources.paths)}-{'-'.join(names)}"
    return path
