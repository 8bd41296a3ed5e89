"""A hash of the files of a question, which changes if the files change.

A resumed run repeats its calls on the same files. If the hash is another one, the results
would be others, and the run is refused.
"""

from __future__ import annotations

import hashlib
import os

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox.interface import bounds


def digest_of(sources: SourceFiles) -> str:
    """Return the hash.

    If the files are too large to read them all, the sizes and modification times
    are hashed instead of the texts. Texts that are not on disk have only a size.
    """
    digest = hashlib.sha256()
    is_small = sources.total_bytes <= bounds.MOST_SEARCHED_BYTES
    for path, size in sources.paths.items():
        digest.update(f"{path}\0{size}\0".encode("utf-8", "surrogateescape"))
        if is_small:
            digest.update(sources.bytes_of(path) or b"")
        elif path not in sources.texts_in_memory:
            status = os.lstat(f"{sources.root}{path}")
            digest.update(str(status.st_mtime_ns).encode())
    return digest.hexdigest()[:12]
