"""The files of a container, as scripts read and change them.

Nothing is kept here: each call runs a short program in the container.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.containers.container_runtime import (
    Container,
)
from controlplane.benchmarks.containers.program_run import CommandResult
from controlplane.benchmarks.harbor.file_programs import (
    BAD_PATTERN,
    DELETE_FILE,
    FAILURES,
    FIND_PATHS,
    LIST_FOLDER,
    READ_FILE,
    READ_LINES,
    SEARCH_LINES,
    STAT_FILE,
    WRITE_FILE,
)
from controlplane.sandbox.interface import CallError, Plain, error_codes

READ_BYTES: Final = 400_000
"""The most bytes of a file that one read returns."""
LISTED_BYTES: Final = 400_000
"""The most bytes of a listing that one call returns."""
MAX_LINE_CHARS: Final = 500
"""The most characters of a matching line that a search returns."""
DEFAULT_MAX_MATCHES: Final = 1_000
"""The most matching lines that a search without a limit returns."""
KIND_OPTIONS: Final = {"files": ("-type", "f"), "dirs": ("-type", "d")}
"""The words of `find` that select a kind of path; none for any kind."""


@dataclass(frozen=True, slots=True)
class ContainerFiles:
    """The files of one container. Each operation raises `CallError`."""

    container: Container
    user: str
    """The user who reads and changes the files."""
    workdir: str
    """The folder at which relative paths start."""

    def absolute(self, path: str) -> str:
        """Return a path as an absolute one."""
        if path in ("", "."):
            return self.workdir
        if path.startswith("/"):
            return path
        return f"{self.workdir.rstrip('/')}/{path}"

    def read(self, path: str, start_line: int, end_line: int) -> dict[str, Plain]:
        """Return the content of a file or of some lines. Line numbers below 1 mean no limit.

        The hash is of the whole file, so it is empty if only a part is returned.
        """
        is_whole = start_line <= 0 and end_line <= 0
        # Read one byte more than is returned, to know if the file is longer.
        max_bytes = str(READ_BYTES + 1)
        if is_whole:
            printed = self._output(READ_FILE, path, max_bytes)
        else:
            last = str(end_line) if end_line > 0 else "$"
            lines = f"{max(start_line, 1)},{last}p"  # `10,20p` prints lines 10 to 20.
            printed = self._output(READ_LINES, path, max_bytes, lines)
        content = printed[:READ_BYTES]
        is_truncated = len(printed) > READ_BYTES
        digest = ""
        if is_whole and not is_truncated:
            digest = hashlib.sha256(content).hexdigest()
        return {
            "path": self.absolute(path),
            "content": content.decode("utf-8", "replace"),
            "truncated": is_truncated,
            "sha256": digest,
        }

    def write(self, path: str, content: str, if_match_sha256: str) -> dict[str, Plain]:
        """Write a file. If `if_match_sha256` is not empty, the file must still have this hash."""
        if if_match_sha256:
            current = self.read(path, start_line=0, end_line=0)["sha256"]
            if current != if_match_sha256:
                msg = f"{path} has changed since it was read"
                raise CallError(error_codes.FAILED_PRECONDITION, msg)
        self._output(WRITE_FILE, path, stdin=content.encode("utf-8", "replace"))
        return {"path": self.absolute(path)}

    def delete(self, path: str) -> dict[str, Plain]:
        """Delete a file."""
        self._output(DELETE_FILE, path)
        return {"path": self.absolute(path)}

    def stat(self, path: str) -> dict[str, Plain]:
        """Return whether a path is a folder, and whether it can be written."""
        # `d` for a folder or else `f`, then `w` if it can be written or else `r`: `b"fw"`.
        letters = self._output(STAT_FILE, path)
        is_folder = letters.startswith(b"d")
        return {
            "path": self.absolute(path),
            "is_dir": is_folder,
            "content_type": "" if is_folder else "application/octet-stream",
            "writable": letters.endswith(b"w"),
        }

    def list(self, path: str) -> dict[str, Plain]:
        """Return the entries of a folder."""
        folder = self.absolute(path).rstrip("/")
        listing = self._output(LIST_FOLDER, path)[:LISTED_BYTES]
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
        printed = self._output(FIND_PATHS, root, name, str(LISTED_BYTES), *options)
        paths = sorted(_texts(printed))
        is_truncated = len(printed) >= LISTED_BYTES
        if 0 < limit < len(paths):
            paths = paths[:limit]
            is_truncated = True
        return {"paths": [*paths], "truncated": is_truncated}

    def search(self, pattern: str, root: str, limit: int) -> dict[str, Plain]:
        """Return the lines of files below a folder that match a pattern."""
        max_matches = limit if limit > 0 else DEFAULT_MAX_MATCHES
        # Ask for one line more than is returned, to know if there are more.
        printed = self._output(
            SEARCH_LINES, root, pattern, str(max_matches + 1), str(LISTED_BYTES)
        )
        matches: list[Plain] = []
        for line in printed.decode("utf-8", "replace").splitlines():
            # `/app/main.py:12:import os`. A line whose path has a colon is left out.
            path, _, rest = line.partition(":")
            number, _, text = rest.partition(":")
            if number.isascii() and number.isdigit():
                matches.append(
                    {"path": path, "line": int(number), "text": text[:MAX_LINE_CHARS]}
                )
        is_truncated = len(matches) > max_matches or len(printed) >= LISTED_BYTES
        return {"matches": matches[:max_matches], "truncated": is_truncated}

    def _output(
        self, program: str, path: str, *arguments: str, stdin: bytes = b""
    ) -> bytes:
        """Run a program of `file_programs` for a path and return its output."""
        words = [self.absolute(path), *arguments]
        if any("\0" in word for word in words):
            msg = "an argument has a NUL character"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        result = self.container.run(
            ["sh", "-c", program, "sh", *words], stdin=stdin, user=self.user
        )
        _check(result, path)
        return result.stdout


def _check(result: CommandResult, path: str) -> None:
    """Raise `CallError` if a program has failed. `path` is as the script wrote it."""
    if result.timed_out:
        msg = f"{path}: it took too long"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    if result.exit_code == 0:
        return
    if result.exit_code in FAILURES:
        code, text = FAILURES[result.exit_code]
        raise CallError(code, f"{path} {text}")
    fault = result.stderr.decode("utf-8", "replace").strip()[:MAX_LINE_CHARS]
    if result.exit_code == BAD_PATTERN:
        msg = f"the pattern is refused: {fault}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    raise CallError(error_codes.INTERNAL, f"{path}: {fault}")


def _texts(listing: bytes) -> list[str]:
    """Return the texts of a listing, each ended by NUL. An incomplete last text is left out."""
    complete = listing[: listing.rfind(b"\0") + 1]
    return [part.decode("utf-8", "replace") for part in complete.split(b"\0") if part]
