"""Replaces the documents among the files of a question by their texts, which are kept in the user's cache.

Documents are converted in a worker, since whoever wrote one may be a stranger.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from base64 import b64encode
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.file_sources import MB, TEXTUAL, SourceFiles
from controlplane.sandbox import ForkServer, SandboxBroken, Worker, WorkerLimits
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import CallError, error_codes
from controlplane.text_files import decode_text

MODULE: Final = "controlplane.benchmarks.files.document_texts"
NEEDED_PACKAGES: Final = {
    "documents": ("markitdown", "pdfminer", "html5lib", "openpyxl"),
    "tables": ("markitdown", "pdfminer", "html5lib", "openpyxl", "duckdb", "fsspec"),
}
"""The packages of the extra `tables`, for Parquet, and of the extra `documents`, for all others."""
LIMITS: Final = WorkerLimits(
    call_cpu_s=60.0, call_wall_s=120.0, trial_cpu_s=3_600.0, memory_mb=1_024, reply_bytes=64_000_000
)
CONVERSION_VERSION: Final = 9
"""After a change of the conversion, kept texts are made anew."""
CANNOT: Final = "cannot be converted"
FAULTS_OF_THE_WORKER: Final = (
    "LookupError:",
    "ImportError:",
    "ModuleNotFoundError:",
    "PermissionError:",
    "FileNotFoundError:",
    "the process",
)
"""How a failure begins that says nothing about the document: the worker lacked something, or died."""
UNUSUAL_IN_NAMES: Final = re.compile(r"[^\w .-]+")
"""What the name of a sheet or an attachment may hold and a path should not, as `:` or a line end."""
MAX_PART_NAME_CHARS: Final = 60


def add_documents(sources: SourceFiles, suffixes: tuple[str, ...]) -> None:
    """Replace documents by their texts: each page, sheet, message and attachment is a file below the document's path.

    A document that cannot be converted is left out with its reason; HTML and mails then stay as they are.
    """
    with ExitStack() as resources:
        converter = _Converter(resources)
        for path in list(sources.paths):
            if path.lower().endswith(suffixes):
                _replace_document(sources, path, converter)
    sources.paths = dict(sorted(sources.paths.items()))


def _replace_document(sources: SourceFiles, path: str, converter: _Converter) -> None:
    """Put the parts of a document in its place, or leave it out with the reason."""
    suffix = Path(path).suffix.lower()
    conversion = converter.convert(suffix, sources.bytes_of(path) or b"")
    if conversion.fault and suffix in TEXTUAL:
        return  # It stays as it is.
    sources.total_bytes -= sources.paths.pop(path)
    fault = _fault_of(conversion, suffix, sources)
    if fault:
        sources.left_out[fault].append(path)
        return
    for part in conversion.parts:
        _add_part(sources, part, path)


def _fault_of(conversion: _Conversion, suffix: str, sources: SourceFiles) -> str:
    """Return the reason to leave a document out; empty if its parts can take its place."""
    if conversion.fault:
        return conversion.fault
    if not any(part.text for part in conversion.parts):
        return "no text: its pages are images" if suffix == ".pdf" else "empty"
    chars = sum(len(part.text) for part in conversion.parts)
    if sources.total_bytes + chars > sources.total_mb * MB:
        return f"beyond {sources.total_mb:,.6g} MB as text, --set total_mb"
    return ""


def _add_part(sources: SourceFiles, part: _Part, document: str) -> None:
    """Add a part of a document as a file of its own."""
    path = _path_of(part, document, sources)
    if path != document:
        sources.parts.setdefault(document, []).append(path)
    size = len(part.text.encode("utf-8", "replace"))
    sources.documents[path] = part.text
    sources.paths[path] = size
    sources.total_bytes += size
    if part.notes:
        sources.notes[path] = part.notes


def _path_of(part: _Part, document: str, sources: SourceFiles) -> str:
    """Return the path of a part below its document, as `/report.xlsx/sheet-Costs.csv`."""
    if not part.place:
        return document
    names = []
    for name in part.place.split("/"):
        usual_name = UNUSUAL_IN_NAMES.sub("-", name).strip(" .")
        names.append(usual_name[:MAX_PART_NAME_CHARS] or "part")
    path = "/".join([document, *names])
    if path in sources.paths:  # a second attachment of this name
        path = f"{document}/{len(sources.paths)}-{'-'.join(names)}"
    return path


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a document, as the worker returns it."""

    place: str
    """Its path below the document, as `page-3`; empty for the whole document."""
    text: str
    notes: tuple[str, ...]
    """What the text cannot show, as merged cells."""


@dataclass(frozen=True, slots=True)
class _Conversion:
    """The parts of a document, or why there are none."""

    parts: tuple[_Part, ...] = ()
    fault: str = ""

    @classmethod
    def of(cls, reply: list[list[str]] | str) -> _Conversion:
        """Return the conversion of a worker's reply, or of one from the cache.

        A reply is a list for each part, as `["page-1", "Text", "a note"]`, or a text that says why there are none.
        """
        if isinstance(reply, str):
            return cls(fault=reply)
        parts = []
        for place, text, *notes in reply:
            parts.append(_Part(place, text, tuple(notes)))
        return cls(tuple(parts))


@dataclass(slots=True)
class _Converter:
    """Converts documents in a worker, and keeps the replies of the worker on the disk."""

    _resources: ExitStack
    """Ends the worker."""
    _cache: Path = field(default_factory=lambda: _cache_folder())
    """The folder with a reply for each document that was converted before, by the hash of the document."""
    _worker: Worker | None = None
    """None until a document has to be converted."""

    def convert(self, suffix: str, data: bytes) -> _Conversion:
        """Return the parts of a document, from the cache if it was converted before."""
        place = self._cache / f"{hashlib.sha256(data).hexdigest()}-{CONVERSION_VERSION}.json"
        with suppress(OSError, ValueError):
            kept = read_whole(place, self._cache, LIMITS.reply_bytes * 2)
            if kept is not None:
                return _Conversion.of(json.loads(kept[0]))

        extra = "tables" if suffix == ".parquet" else "documents"
        if not all(find_spec(package) for package in NEEDED_PACKAGES[extra]):
            return _Conversion(fault=f"needs the extra {extra}")
        if suffix in (".html", ".htm"):
            data = decode_text(data).text.encode("utf-8", "replace")
        try:
            reply = self._started_worker().call(
                f"{MODULE}:convert", suffix, b64encode(data).decode()
            )
        except SandboxBroken:
            return _Conversion(fault=CANNOT)
        except CallError as error:
            if _is_fault_of_worker(error):
                return _Conversion(fault=CANNOT)  # It is not kept: the next time may succeed.
            is_told_by_converter = error.code == error_codes.INVALID_ARGUMENT
            reply = error.message if is_told_by_converter else CANNOT
        with suppress(OSError):
            write_whole(place, json.dumps(reply).encode(), mode=0o600)
        return _Conversion.of(reply)

    def _started_worker(self) -> Worker:
        if self._worker is None:
            server = self._resources.enter_context(ForkServer([MODULE]))
            self._worker = self._resources.enter_context(Worker(server, limits=LIMITS))
        return self._worker


def _cache_folder() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "controlplane/documents"


def _is_fault_of_worker(error: CallError) -> bool:
    """Return True if a conversion failed for a reason that need not hold the next time."""
    if error.code == error_codes.RESOURCE_EXHAUSTED:
        return True
    return error.message.startswith(FAULTS_OF_THE_WORKER)
