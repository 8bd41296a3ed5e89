"""The JSON schema of a journal's lines: made from the events by `docs/generate.py`, and kept beside the journals."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from controlplane.journal.run_events import SCHEMA_LINK


def schema_bytes() -> bytes:
    """Return the schema as JSON text (draft 2020-12) in UTF-8."""
    return Path(__file__).with_name(SCHEMA_LINK).read_bytes()


def keep_schema(folder: Path) -> None:
    """Have the schema lie in the folder of the journals, so that their link leads to it; no fault if it cannot."""
    target, schema = folder / SCHEMA_LINK, schema_bytes()
    with contextlib.suppress(OSError):
        if not target.exists() or target.read_bytes() != schema:
            part = folder / f".{SCHEMA_LINK}.{os.getpid()}"
            part.write_bytes(schema)
            part.replace(target)
