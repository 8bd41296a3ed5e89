"""Keeps the texts of converted documents on disk for the user, by a hash of the document."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.documents.conversion import Conversion, WorkerReply
from controlplane.sandbox.files import read_whole, write_whole

CONVERSION_VERSION: Final = 9
"""Increase this when the conversion changes, so that cached texts are not used."""
MAX_CACHED_BYTES: Final = 128_000_000


class ConversionCache:
    """The replies of workers for documents that were converted before."""

    def __init__(self) -> None:
        """Use the user's folder for caches, by the convention of Linux desktops."""
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self._folder = Path(caches) / "controlplane/documents"

    def conversion_of(self, document: bytes) -> Conversion | None:
        """Return the texts of a document; None if there are none, or if they cannot be read."""
        with suppress(OSError, ValueError):
            file = read_whole(self._file_of(document), self._folder, MAX_CACHED_BYTES)
            if file is not None:
                data, _ = file
                return Conversion.of(json.loads(data))
        return None

    def keep(self, document: bytes, reply: WorkerReply) -> None:
        """Keep the reply for a document, if the folder can be written to."""
        with suppress(OSError):
            data = json.dumps(reply).encode()
            write_whole(self._file_of(document), data, mode=0o600)

    def _file_of(self, document: bytes) -> Path:
        digest = hashlib.sha256(document).hexdigest()
        return self._folder / f"{digest}-{CONVERSION_VERSION}.json"
