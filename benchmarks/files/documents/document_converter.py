"""Converts documents, such as PDFs, to texts in a worker, an isolated process.

A document may come from anyone, and its format may be used to attack a library that reads it.
The worker has limits of time and memory, and can neither open files nor reach the network.
Converting takes seconds, so results are kept for the next question (`ConversionCache`).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from base64 import b64encode
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.documents.conversion import Conversion, WorkerReply
from controlplane.sandbox import ForkServer, SandboxBroken, Worker, WorkerLimits
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import CallError, bounds, error_codes
from controlplane.sandbox.interface.foreign_documents import read_json
from controlplane.text_files import decode_text

# Keeps the results of converting documents on disk, by a hash of the document.
#
# A long PDF takes a minute to convert, and the next question is often about the same one. A
# result counts only for the same bytes and the same version of the conversion.

CONVERSION_VERSION: Final = 17
"""Increase this when the conversion changes, so that cached texts are not used."""
_MAX_CACHED_BYTES: Final = 128_000_000


class ConversionCache:
    """The results for documents that were converted before, in the user's cache folder.

    They are stored as the worker returned them (`WorkerReply`).
    """

    def __init__(self) -> None:
        """Use the user's folder for caches, by the convention of Linux desktops."""
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self._folder = Path(caches) / "controlplane/documents"

    def conversion_of(self, suffix: str, document: bytes) -> Conversion | None:
        """Return the result for a document; None if there is none that can be read."""
        with suppress(OSError, ValueError):
            path = self._file_of(suffix, document)
            file = read_whole(path, self._folder, _MAX_CACHED_BYTES)
            if file is not None:
                data, _mode = file
                return Conversion.of(read_json(data))
        return None

    def keep(self, suffix: str, document: bytes, reply: WorkerReply) -> None:
        """Keep the result for a document, if the folder can be written to."""
        with suppress(OSError):
            data = json.dumps(reply).encode()
            write_whole(self._file_of(suffix, document), data, mode=0o600)

    def _file_of(self, suffix: str, document: bytes) -> Path:
        """Return the file for a document. The same bytes are another one with another suffix."""
        digest = hashlib.sha256(suffix.encode() + b"\0" + document).hexdigest()
        return self._folder / f"{digest}-{CONVERSION_VERSION}.json"


MODULE: Final = "controlplane.benchmarks.files.documents.document_texts"
_NEEDED_PACKAGES: Final = {
    "documents": ("markitdown", "pdfminer", "html5lib", "openpyxl"),
    "tables": ("markitdown", "pdfminer", "html5lib", "openpyxl", "duckdb", "fsspec"),
}
"""The packages that a conversion needs, by extra: `tables` for Parquet, else `documents`."""
DOCUMENT_CPU_S: Final = 50.0
"""The CPU seconds of a document that is the only one of its question. All documents together have
`bounds.DOCUMENTS_S`, so several share them."""
LEAST_DOCUMENT_CPU_S: Final = 15.0
"""The CPU seconds of one of many documents."""
_LIMITS: Final = WorkerLimits(
    call_wall_s=120.0,
    trial_cpu_s=3_600.0,
    memory_bytes=2**30,
    reply_bytes=64_000_000,
)
_NOT_CONVERTIBLE: Final = "cannot be converted"
"""The reason that is told for a document that the libraries cannot read."""
_READER_FAILED: Final = (
    "could not be read, as the process for documents failed: ask again"
)
"""The reason that is told for a document that is not at fault."""
NOT_YET_READ: Final = f"not read within {bounds.DOCUMENTS_S:g} s, ask again"
"""The reason that is told for a document for which no time was left."""
_TOO_SLOW: Final = "takes too long to convert, ask about it alone"
_TOO_SLOW_ALONE: Final = "takes too long to convert"
"""The reasons that are told for a document that used up its CPU time. They are kept, so that the
next question gets further than to this document."""
_USED_CPU: Final = "the call used more than"
"""How the message begins for a document that used up the CPU time of a call."""
_FAULTS_OF_THE_WORKER: Final = (
    "LookupError:",
    "ImportError:",
    "ModuleNotFoundError:",
    "PermissionError:",
    "FileNotFoundError:",
    "the process that worked on the call died",
)
"""Messages of failures that are not the document's fault begin like this.

The worker lacked a module or a file, or its process died. The next attempt may succeed, so
such a failure is not cached. A reply that is too large is the document's fault: a mail may have
20,000 attachments.
"""


class DocumentConverter:
    """Converts the documents of one question, and caches the replies of the worker."""

    def __init__(self, resources: ExitStack, document_count: int) -> None:
        """Set it up for so many documents. `resources` stops the worker at the end."""
        share_s = DOCUMENT_CPU_S / max(document_count, 1)
        cpu_s = max(share_s, LEAST_DOCUMENT_CPU_S)
        self._limits = _LIMITS._replace(call_cpu_s=cpu_s)
        self._is_alone = document_count == 1
        self._resources = resources
        self._cache = ConversionCache()
        self._ends_at = time.monotonic() + bounds.DOCUMENTS_S
        """When no time is left for the documents of the question."""
        self._worker: Worker | None = None
        """None until a document must be converted."""

    def convert(self, suffix: str, data: bytes) -> Conversion:
        """Return the parts of a document, from the cache if possible."""
        cached = self._cache.conversion_of(suffix, data)
        may_have_more_time = self._is_alone
        if cached is not None and not (
            may_have_more_time and cached.fault == _TOO_SLOW
        ):
            return cached

        extra = "tables" if suffix == ".parquet" else "documents"
        if not all(find_spec(package) for package in _NEEDED_PACKAGES[extra]):
            return Conversion(fault=f"needs the extra {extra}")
        if self._left_s <= 0:
            return Conversion(fault=NOT_YET_READ)
        reply = self._reply_for(suffix, data)
        if reply is None:
            # The worker was at fault, unless it was ended because the time is over.
            fault = NOT_YET_READ if self._left_s <= 0 else _READER_FAILED
            return Conversion(fault=fault)
        self._cache.keep(suffix, data, reply)
        return Conversion.of(reply)

    @property
    def _left_s(self) -> float:
        return self._ends_at - time.monotonic()

    def _reply_for(self, suffix: str, data: bytes) -> WorkerReply | None:
        """Return the parts of a document, or the reason why it cannot be converted.

        Return None if the document is not at fault. The next attempt may succeed.
        """
        if suffix in (".html", ".htm"):
            data = decode_text(data).text.encode("utf-8", "replace")
        try:
            if self._worker is None:
                server = self._resources.enter_context(ForkServer([MODULE]))
                worker = Worker(server, limits=self._limits)
                self._worker = self._resources.enter_context(worker)
            content = b64encode(data).decode()
            reply: WorkerReply = self._worker.call(
                f"{MODULE}:convert", suffix, content, most_s=max(self._left_s, 0.0)
            )
        except SandboxBroken:
            return None
        except CallError as error:
            if error.message.startswith(_USED_CPU):
                return _TOO_SLOW_ALONE if self._is_alone else _TOO_SLOW
            # The worker lacked memory, a module or a file.
            if error.code == error_codes.RESOURCE_EXHAUSTED or error.message.startswith(
                _FAULTS_OF_THE_WORKER
            ):
                return None
            if error.code == error_codes.INVALID_ARGUMENT:
                # The converter knows the reason: `needs a password`.
                return error.message
            return _NOT_CONVERTIBLE
        return reply
