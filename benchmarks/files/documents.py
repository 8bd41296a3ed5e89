"""The texts of documents among the sources: converted in a process behind the walls, and kept by content hash."""

from __future__ import annotations

import hashlib
import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from benchmarks.files.file_sources import SourceFiles
from sandbox import Aide, AideLimits, ForkServer, SandboxBroken
from sandbox.interface import CallError

MODULE: Final = "benchmarks.files.document_texts"
NEEDED: Final = ("markitdown", "pdfminer")
LIMITS: Final = AideLimits(
    call_cpu_s=60.0, call_wall_s=120.0, trial_cpu_s=3_600.0, memory_mb=1_024, reply_bytes=16_000_000
)
FORM: Final = 2
"""Version of the conversion: after a change, kept texts are made anew."""
_ODD: Final = re.compile(r"[^\w .-]+")
Parts = list[list[str]]


def add_documents(sources: SourceFiles, suffixes: tuple[str, ...]) -> None:
    """Replace documents by their texts: each page and each sheet is a file below the document's path.

    A document that cannot be converted is left out with its reason; HTML then stays as it is.
    """
    documents = [path for path in sources.paths if path.lower().endswith(suffixes)]
    if not documents:
        return
    missing = [name for name in NEEDED if find_spec(name) is None]
    for path, found in _converted(sources, documents, can_convert=not missing):
        is_html = path.lower().endswith((".html", ".htm"))
        if found is None and is_html:
            continue
        sources.total_bytes -= sources.paths.pop(path)
        if found is None:
            reason = "it needs the extra documents" if missing else "it cannot be converted"
            sources.left_out[reason].append(path)
            continue
        for place, text in found:
            part = f"{path}/{_ODD.sub('-', place)[:60]}" if place else path
            sources.documents[part] = text
            sources.paths[part] = len(text.encode("utf-8", "replace"))
            sources.total_bytes += sources.paths[part]
    sources.paths = dict(sorted(sources.paths.items()))


def _converted(sources: SourceFiles, documents: list[str], *, can_convert: bool) -> Iterator[tuple[str, Parts | None]]:
    """Yield each document with its parts, None if it has none."""
    left: list[tuple[str, Path, bytes]] = []
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "controlplane/documents"
    for path in documents:
        data = sources.bytes_of(path) or b""
        kept = cache / f"{hashlib.sha256(data).hexdigest()}-{FORM}.json"
        parts = _kept(kept)
        if parts is not None:
            yield path, parts or None
        elif can_convert:
            left.append((path, kept, data))
        else:
            yield path, None
    if not left:
        return
    with ForkServer([MODULE]) as server, Aide(server, limits=LIMITS) as aide:
        for path, kept, data in left:
            suffix = path[path.rfind(".") :].lower()
            parts = []
            with suppress(CallError, SandboxBroken):
                found = aide.call(f"{MODULE}:convert", suffix, b64encode(data).decode())
                parts = [[str(place), str(text)] for place, text in found]
            _keep(kept, parts)  # Failures are kept too: a new attempt would take as long.
            yield path, parts or None


def _kept(path: Path) -> Parts | None:
    try:
        held = json.loads(path.read_text("utf-8"))
        return [[str(place), str(text)] for place, text in held]
    except (OSError, ValueError, TypeError):
        return None


def _keep(path: Path, parts: Parts) -> None:
    with suppress(OSError):  # Without a place to keep them, documents are converted each time.
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(parts), encoding="utf-8")
        unfinished.replace(path)
