"""What is in the folders of a container: their entries, paths by name, and lines by pattern.

Each call runs a short program in the container, such as `find`, and reads its output.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.harbor.files.file_program_runs import FileProgramRuns
from controlplane.benchmarks.harbor.files.file_programs import (
    FIND_PATHS,
    LIST_FOLDER,
    SEARCH_LINES,
)
from controlplane.sandbox.interface import Plain

LISTED_BYTES: Final = 400_000
"""The most bytes of a listing that one call returns."""
MAX_LINE_CHARS: Final = 500
"""The most characters of a matching line that a search returns."""
DEFAULT_MAX_MATCHES: Final = 1_000
"""The most matching lines that a search without a limit returns."""
KIND_OPTIONS: Final = {"files": ("-type", "f"), "dirs": ("-type", "d")}
"""The words of `find` that select a kind of path; none for any kind."""


@dataclass(frozen=True, slots=True)
class ContainerListings:
    """Lists and searches folders. Each operation raises `CallError`."""

    programs: FileProgramRuns

    def list(self, path: str) -> dict[str, Plain]:
        """Return the entries of a folder. Those beyond `LISTED_BYTES`, some 10,000, are left out.

        The operation `list` has no result field that could say so.
        """
        folder = self.programs.absolute(path).rstrip("/")
        listing = self.programs.output(LIST_FOLDER, path, str(LISTED_BYTES))
        # `dsrc` is the folder `src`, and `fa.md` the file `a.md`.
        names_and_kinds = sorted((text[1:], text[0]) for text in _texts(listing))
        entries: list[Plain] = []
        for name, kind in names_and_kinds:
            entries.append(
                {"name": name, "path": f"{folder}/{name}", "is_dir": kind == "d"}
            )
        return {"entries": entries}

    def find(self, name: str, root: str, kind: str, limit: int) -> dict[str, Plain]:
        """Return the paths below a folder whose name matches a pattern.

        A limit below 1 means no limit.
        """
        options = KIND_OPTIONS.get(kind, ())
        max_bytes = str(LISTED_BYTES)
        printed = self.programs.output(FIND_PATHS, root, name, max_bytes, *options)
        paths = sorted(_texts(printed))
        is_truncated = len(printed) >= LISTED_BYTES
        if 0 < limit < len(paths):
            paths = paths[:limit]
            is_truncated = True
        return {"paths": [*paths], "truncated": is_truncated}

    def search(self, pattern: str, root: str, limit: int) -> dict[str, Plain]:
        """Return the lines of files below a folder that match a pattern.

        A limit below 1 means `DEFAULT_MAX_MATCHES`.
        """
        max_matches = limit if limit > 0 else DEFAULT_MAX_MATCHES
        # Ask for one line more than is returned, to know if there are more.
        max_lines = str(max_matches + 1)
        printed = self.programs.output(
            SEARCH_LINES, root, pattern, max_lines, str(LISTED_BYTES)
        )
        matches: list[Plain] = []
        # Only a line feed ends a line: a form feed may be part of its text.
        for line in printed.decode("utf-8", "replace").split("\n"):
            # `/app/main.py:12:import os`. A line whose path has a colon is left out.
            path, _, rest = line.partition(":")
            number, _, text = rest.partition(":")
            if number.isascii() and number.isdigit():
                text = text.removesuffix("\r")[:MAX_LINE_CHARS]
                matches.append({"path": path, "line": int(number), "text": text})
        is_truncated = len(matches) > max_matches or len(printed) >= LISTED_BYTES
        return {"matches": matches[:max_matches], "truncated": is_truncated}


def _texts(listing: bytes) -> Sequence[str]:
    """Return the texts of a listing, each ended by NUL. An incomplete last text is left out."""
    complete = listing[: listing.rfind(b"\0") + 1]
    return [part.decode("utf-8", "replace") for part in complete.split(b"\0") if part]
