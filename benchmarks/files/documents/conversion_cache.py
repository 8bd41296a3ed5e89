"""Keeps the results of converting documents on disk, by a hash of the document.

A long PDF takes a minute to convert, and the next question is often about the same one. A
result counts only for the same bytes and the same version of the conversion.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.documents.conversion import Conversion, WorkerReply
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface.foreign_documents import read_json

CONVERSION_VERSION: Final = 10
"""Increase this when the conversion changes, so that cached texts are not used."""
MAX_CACHED_BYTES: Final = 128_000_000


class ConversionCache:
    """The results for documents that were converted before, in the user's cache folder.

    They are stored as the worker returned them (`WorkerReply`).
    """

    def __init__(self) -> None:
        """Use the user's folder for caches, by the convention of Linux desktops."""
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self._folder = Path(caches) / "controlplane/documents"

    def conversion_of(self, document: bytes) -> Conversion | None:
        """Return the result for a document; None if there is none that can be read."""
        with suppress(OSError, ValueError):
            file = read_whole(self._file_of(document), self._folder, MAX_CACHED_BYTES)
            if file is not None:
                data, _mode = file
                return Conversion.of(read_json(data))
        return None

    def keep(self, document: bytes, reply: WorkerReply) -> None:
        """Keep the result for a document, if the folder can be written to."""
        with suppress(OSError):
            data = json.dumps(reply).encode()
            write_whole(self._file_of(document), data, mode=0o600)

    def _file_of(self, document: bytes) -> Path:
        digest = hashlib.sha256(document).hexdigest()
        return self._folder / f"{digest}-{CONVERSION_VERSION}.json"
