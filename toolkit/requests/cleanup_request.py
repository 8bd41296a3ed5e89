"""Which temporary files a request to clean up means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolkit.requests.intent import Intent

_ROOT: Final = "/tmp/"
_SUFFIX: Final = ".tmp"


def files_to_delete(intent: Intent, paths: Iterable[str]) -> list[str] | None:
    """Return the files below the named folder, sorted; only those that end in `.tmp` if that is meant.

    None if the request asks for no such change, names no folder below the temporary one, or names one without files.
    """
    folder = f"{intent.tmp_path.rstrip('/')}/"
    if not intent.file_change or not folder.startswith(_ROOT):
        return None
    below = sorted({path for path in paths if path.startswith(folder)})
    found = [path for path in below if path.endswith(_SUFFIX) or not intent.tmp_only]
    return found if below else None
