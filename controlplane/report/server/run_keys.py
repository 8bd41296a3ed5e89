"""The ids of journals and loops in addresses: `/runs/ID` is a run's page, `/loops/ID` a loop's."""

from __future__ import annotations

import os
from pathlib import Path

from controlplane.journal.journal_files import journal_id


def key_of(run_id: str, *, is_loop: bool) -> str:
    """Return the path of the page of a run or a loop. A loop and a run may have the same id."""
    return f"loops/{run_id}" if is_loop else f"runs/{run_id}"


def id_as_text(path: Path) -> str:
    """Return the id of a journal as valid Unicode text.

    The name of a file may be bytes that are not UTF-8.
    """
    return os.fsencode(journal_id(path)).decode("utf-8", "backslashreplace")
