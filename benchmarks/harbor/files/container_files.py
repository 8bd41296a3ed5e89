"""The files of a container, as scripts read and change them.

Nothing is kept here: each call runs a short program in the container.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.harbor.files.file_program_runs import FileProgramRuns
from controlplane.benchmarks.harbor.files.file_programs import (
    DELETE_FILE,
    READ_FILE,
    READ_LINES,
    STAT_FILE,
    WRITE_FILE,
)
from controlplane.sandbox.interface import CallError, Plain, error_codes

READ_BYTES: Final = 400_000
"""The most bytes of a file that one read returns."""


@dataclass(frozen=True, slots=True)
class ContainerFiles:
    """Reads, writes and deletes single files. Each operation raises `CallError`."""

    programs: FileProgramRuns

    def read(self, path: str, start_line: int, end_line: int) -> dict[str, Plain]:
        """Return the content of a file or of some lines. Line numbers below 1 mean no limit.

        The hash is of the whole file, so it is empty if only a part is returned.
        """
        is_whole = start_line <= 0 and end_line <= 0
        # Read one byte more than is returned, to know if the file is longer.
        max_bytes = str(READ_BYTES + 1)
        if is_whole:
            printed = self.programs.output(READ_FILE, path, max_bytes)
        else:
            last = str(end_line) if end_line > 0 else "$"
            lines = f"{max(start_line, 1)},{last}p"  # `10,20p` prints lines 10 to 20.
            printed = self.programs.output(READ_LINES, path, max_bytes, lines)
        content = printed[:READ_BYTES]
        is_truncated = len(printed) > READ_BYTES
        digest = ""
        if is_whole and not is_truncated:
            digest = hashlib.sha256(content).hexdigest()
        return {
            "path": self.programs.absolute(path),
            "content": content.decode("utf-8", "replace"),
            "truncated": is_truncated,
            "sha256": digest,
        }

    def write(self, path: str, content: str, if_match_sha256: str) -> dict[str, Plain]:
        """Write a file. If `if_match_sha256` is not empty, the file must still have this hash.

        It is the hash that `read` has returned. `read` returns none of a file that is
        longer than `READ_BYTES`.
        """
        if if_match_sha256:
            current = self.read(path, start_line=0, end_line=0)["sha256"]
            if current != if_match_sha256:
                msg = f"{path} has changed since it was read"
                raise CallError(error_codes.FAILED_PRECONDITION, msg)
        data = content.encode("utf-8", "replace")
        self.programs.output(WRITE_FILE, path, stdin=data)
        return {"path": self.programs.absolute(path)}

    def delete(self, path: str) -> dict[str, Plain]:
        """Delete a file."""
        self.programs.output(DELETE_FILE, path)
        return {"path": self.programs.absolute(path)}

    def stat(self, path: str) -> dict[str, Plain]:
        """Return whether a path is a folder, and whether it can be written."""
        # `d` for a folder or else `f`, then `w` if it can be written or else `r`: `b"fw"`.
        letters = self.programs.output(STAT_FILE, path)
        is_folder = letters.startswith(b"d")
        return {
            "path": self.programs.absolute(path),
            "is_dir": is_folder,
            "content_type": "" if is_folder else "application/octet-stream",
            "writable": letters.endswith(b"w"),
        }
