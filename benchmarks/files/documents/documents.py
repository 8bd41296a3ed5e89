"""Replace the documents of a question by their texts, which are cached on disk for the user.

They are converted in a worker, which is an isolated process, because documents may come
from untrusted sources.
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

from controlplane.benchmarks.files.sources.file_sources import MB, SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import MARKUP_SUFFIXES
from controlplane.sandbox import ForkServer, SandboxBroken, Worker, WorkerLimits
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import CallError, error_codes
from controlplane.text_files import decode_text

MODULE: Final = "controlplane.benchmarks.files.documents.document_texts"
NEEDED_PACKAGES: Final = {
    "documents": ("markitdown", "pdfminer", "html5lib", "openpyxl"),
    "tables": ("markitdown", "pdfminer", "html5lib", "openpyxl", "duckdb", "fsspec"),
}
"""The packages that a conversion needs, by extra: `tables` for Parquet, else `documents`."""
LIMITS: Final = WorkerLimits(
    call_cpu_s=60.0,
    call_wall_s=120.0,
    trial_cpu_s=3_600.0,
    memory_mb=1_024,
    reply_bytes=64_000_000,
)
CONVERSION_VERSION: Final = 9
"""Increase this when the conversion changes, so that cached texts are not used."""
CANNOT: Final = "cannot be converted"
"""The reason that is told for a document that the libraries cannot read."""
FAULTS_OF_THE_WORKER: Final = (
    "LookupError:",
    "ImportError:",
    "ModuleNotFoundError:",
    "PermissionError:",
    "FileNotFoundError:",
    "the process",
)
"""Messages of failures that are not the document's fault begin like this.

The worker lacked a module or a file, or `the process` ended. The next attempt may
succeed, so such a failure is not cached.
"""
UNUSUAL_IN_NAMES: Final = re.compile(r"[^\w .-]+")
"""Characters of a sheet's or attachment's name that a path should not have, such as `:`."""
MAX_PART_NAME_CHARS: Final = 60


def add_documents(sources: SourceFiles, suffixes: tuple[str, ...]) -> None:
    """Replace documents by their texts: one file for each page, sheet, message or attachment.

    A document that cannot be converted is left out with a reason, except HTML and mail,
    which stay as they are.
    """
    with ExitStack() as resources:
        converter = _Converter(resources)
        for path in list(sources.paths):
            if path.lower().endswith(suffixes):
                _replace_document(sources, path, converter)
    sources.paths = dict(sorted(sources.paths.items()))


def _replace_document(sources: SourceFiles, path: str, converter: _Converter) -> None:
    """Replace a document by its parts, or leave it out with the reason."""
    suffix = Path(path).suffix.lower()
    conversion = converter.convert(suffix, sources.bytes_of(path) or b"")
    if conversion.fault and suffix in MARKUP_SUFFIXES:
        return  # HTML and mail can be read as they are.
    sources.remove(path)
    fault = _fault_of(conversion, suffix, sources)
    if fault:
        sources.left_out.add(fault, path)
        return
    for part in conversion.parts:
        _add_part(sources, part, path)


def _fault_of(conversion: _Conversion, suffix: str, sources: SourceFiles) -> str:
    """Return the reason to leave a document out; empty if its parts can replace it.

    `sources` no longer counts the document itself.
    """
    if conversion.fault:
        return conversion.fault
    if not any(part.text for part in conversion.parts):
        return "no text: its pages are images" if suffix == ".pdf" else "empty"
    max_mb = sources.limits.total_mb
    # A character has at least one byte.
    least_bytes = sum(len(part.text) for part in conversion.parts)
    if sources.total_bytes + least_bytes > max_mb * MB:
        return f"beyond {max_mb:,.6g} MB as text, --set total_mb"
    return ""


def _add_part(sources: SourceFiles, part: _Part, document: str) -> None:
    """Add a part of a document as a separate file."""
    path = _path_of(part, document, sources)
    if path != document:
        sources.parts.setdefault(document, []).append(path)
    sources.add_text(path, part.text)
    if part.notes:
        sources.notes[path] = part.notes


def _path_of(part: _Part, document: str, sources: SourceFiles) -> str:
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


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a document, such as a page, as read from a worker's reply."""

    place: str
    """Its path below the document, such as `page-3`; empty for the whole document."""
    text: str
    notes: tuple[str, ...]
    """Facts that the text does not show, such as merged cells."""


@dataclass(frozen=True, slots=True)
class _Conversion:
    """The parts of a document, or the reason why there are none."""

    parts: tuple[_Part, ...] = ()
    fault: str = ""

    @classmethod
    def of(cls, reply: list[list[str]] | str) -> _Conversion:
        """Read the reply of a worker, or one from the cache.

        A reply has a list for each part, such as `["page-1", "Text", "a note"]`, or is
        a text with the reason why there are no parts.
        """
        if isinstance(reply, str):
            return cls(fault=reply)
        parts = []
        for place, text, *notes in reply:
            parts.append(_Part(place, text, tuple(notes)))
        return cls(tuple(parts))


def _cache_folder() -> Path:
    """Return the user's folder for caches, by the convention of Linux desktops."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "controlplane/documents"


@dataclass(slots=True)
class _Converter:
    """Converts documents in a worker and caches the replies on disk. Created for each question."""

    _resources: ExitStack
    """Stops the worker at the end."""
    _cache: Path = field(default_factory=_cache_folder)
    """The folder with the replies for documents converted before, by the document's hash."""
    _worker: Worker | None = None
    """None until a document must be converted."""

    def convert(self, suffix: str, data: bytes) -> _Conversion:
        """Return the parts of a document, from the cache if possible."""
        cache_file = (
            self._cache
            / f"{hashlib.sha256(data).hexdigest()}-{CONVERSION_VERSION}.json"
        )
        with suppress(OSError, ValueError):
            cached = read_whole(cache_file, self._cache, LIMITS.reply_bytes * 2)
            if cached is not None:
                cached_reply, _ = cached
                return _Conversion.of(json.loads(cached_reply))

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
                # Not cached: the next attempt may succeed.
                return _Conversion(fault=CANNOT)
            # With the code INVALID_ARGUMENT, the converter says what is wrong with the
            # document: `needs a password`. This text is shown, and cached like a reply.
            is_told_by_converter = error.code == error_codes.INVALID_ARGUMENT
            reply = error.message if is_told_by_converter else CANNOT
        with suppress(OSError):
            write_whole(cache_file, json.dumps(reply).encode(), mode=0o600)
        return _Conversion.of(reply)

    def _started_worker(self) -> Worker:
        if self._worker is None:
            server = self._resources.enter_context(ForkServer([MODULE]))
            self._worker = self._resources.enter_context(Worker(server, limits=LIMITS))
        return self._worker


def _is_fault_of_worker(error: CallError) -> bool:
    """Return True if a conversion failed for a reason that may not apply next time."""
    if error.code == error_codes.RESOURCE_EXHAUSTED:
        return True
    return error.message.startswith(FAULTS_OF_THE_WORKER)
