"""Loads the tables of fonts that reading a PDF file needs, before the sandbox's walls stand.

The library for PDF opens these files when it first meets a font. A worker that reads documents
can open no files then, so text in Japanese, for example, could not be read.
"""

from __future__ import annotations

import gzip
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from pdfminer import cmapdb


def load_ahead() -> None:
    """Load what pdfminer loads late, such as font maps, because an isolated process cannot.

    pdfminer reads the map of a font's characters from a file when a document first uses
    it. Its function for that is replaced by one that has all files in memory.
    """
    import_module("pdfminer._saslprep")  # Used for passwords.
    packed_maps: dict[str, bytes] = {}
    for path in Path(cmapdb.__file__).parent.glob("cmap/*.json.gz"):
        packed_maps[path.name.partition(".")[0]] = path.read_bytes()

    def load_map(name: str) -> type:
        """Return a map as pdfminer's own function does. Raises its error for an unknown name."""
        if name not in packed_maps:
            raise cmapdb.CMapDB.CMapNotFound(name)
        content = json.loads(
            gzip.decompress(packed_maps[name]), object_hook=_with_numbers
        )
        # pdfminer expects a class with the map's keys as attributes
        return type(name, (), content)

    library: Any = cmapdb.CMapDB
    library._load_data = load_map


def _with_numbers(mapping: dict[str, Any]) -> dict[Any, Any]:
    """Convert the keys of a character map, which are character codes, to numbers."""
    return {int(key) if key.isdigit() else key: value for key, value in mapping.items()}
