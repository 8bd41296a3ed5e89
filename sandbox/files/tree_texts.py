"""The texts of a tree of files: read one, or search all."""

from __future__ import annotations

import hashlib
import io
from itertools import islice

from controlplane.sandbox.files.changed_files import ChangedFiles
from controlplane.sandbox.files.file_paths import content_type, normal_path
from controlplane.sandbox.files.search.file_search import (
    SEARCH_S,
    ResultForm,
    search_files,
)
from controlplane.sandbox.files.search.line_search import LineSearch
from controlplane.sandbox.files.search.text_batches import SearchedText
from controlplane.sandbox.files.tree_paths import TreePaths, files_at
from controlplane.sandbox.interface.error_codes import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    CallError,
)
from controlplane.sandbox.interface.plain_data import Plain


class TreeTexts:
    """The operations by which a script reads the texts of a tree, or searches in them.

    `harness.read("/docs/a.md")` calls `read`. Both methods raise `CallError`, for example
    if the path does not exist.
    """

    def __init__(self, files: ChangedFiles, paths: TreePaths) -> None:
        self._files = files
        self._paths = paths

    def read(
        self, path: str, start_line: int = 0, end_line: int = 0
    ) -> dict[str, Plain]:
        """Return the text of a file, or of its lines from `start_line` to `end_line`.

        Lines count from 1, and both are included. 0 means the first or the last line. The
        hash is that of the whole text, so that a later `write` can see if the file is the same.
        """
        resolved = self._paths.existing(path)
        if self._paths.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a directory; list it")
        whole = self._files.text(resolved)
        if whole is None:
            raise CallError(NOT_FOUND, f"{resolved} cannot be read any more")
        return {
            "path": resolved,
            "content": _lines_from_to(whole, start_line, end_line),
            "truncated": False,
            "sha256": sha256_of(whole),
            "content_type": content_type(resolved),
        }

    def search(
        self,
        pattern: str,
        root: str = "/",
        limit: int = 10,
        files: str = "",
        context: int = 0,
        files_only: bool = False,
    ) -> dict[str, Plain]:
        """Return the lines at or below `root` that match a regular expression of RE2.

        - `limit`: the most lines that are returned; 0 for `MOST_MATCHES`
        - `files`: a glob that selects the files to search
        - `context`: lines that are shown before and after each matching line
        - `files_only`: return only the first matching line of each file

        The result has `matches`, `truncated`, and `searched`, a text such as `3 of 10
        files; narrow it by root or files`. Each match has:

        - `path` and `line`: the file, and the number of the matching line
        - `text`: the line, with its context
        - `first`, only with a context: the number of the first line of the text
        - `char`, only if the line is too long to be shown: `text` is then the part
          around the match, and `char` is the number of its first character in the file
        """
        search = LineSearch(pattern, SEARCH_S)
        form = ResultForm(limit, context, files_only)
        paths = self._paths_to_search(root, files)
        texts = (SearchedText(path, self._files.in_utf_8(path)) for path in paths)
        return search_files(search, texts, len(paths), form)

    def _paths_to_search(self, root: str, glob: str) -> list[str]:
        """Return the files to search, sorted.

        A large file is searched only if it is the root itself, because the script then
        asks for this very file.
        """
        paths = files_at(self._paths, root, glob)
        large_files = self._files.large_files()
        normal_root = normal_path(root)
        return [
            path for path in paths if path not in large_files or path == normal_root
        ]


def _lines_from_to(text: str, first: int, last: int) -> str:
    """Return the lines of a text from `first` to `last`: of `a\\nb\\nc`, 2 to 3 -> `b\\nc`.

    0 means the first or the last line. Raises `CallError` if `first` is behind `last`.
    """
    if not first and not last:
        return text
    if first < 0 or last < 0 or (last and first > last):
        msg = f"lines {first} to {last} are no range (they count from 1)"
        raise CallError(INVALID_ARGUMENT, msg)
    # `str.splitlines` would also split at other characters than a line feed.
    lines = io.StringIO(text, newline="\n")
    return "".join(islice(lines, max(first - 1, 0), last or None))


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
