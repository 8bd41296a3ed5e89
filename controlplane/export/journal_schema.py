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
    part = folder / f".{SCHEMA_LINK}.{os.getpid()}"
    with contextlib.suppress(OSError):
        if target.exists() and target.read_bytes() == schema:
            return
        try:
            part.write_bytes(schema)
            part.replace(target)
        except OSError:
            part.unlink()  # The room on a disk that is nearly full is the journal's.
