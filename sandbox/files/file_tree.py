"""`FileTree`: the files of an environment in memory, and the operations of scripts on them.

The files at the start (the base) never change. Writes and deletes are stored separately
(the overlay) and take precedence over the base. Results are deterministic: listings are
sorted. Failures are `CallError`s.

These calls run in the parent process on behalf of untrusted scripts, so each takes
time linear in the size of the files. Patterns therefore have the syntax of RE2,
which never backtracks.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableSequence,
    Sequence,
)
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from posixpath import commonprefix, dirname, join, normpath, splitext
from types import MappingProxyType
from typing import Final

from controlplane.sandbox.files.line_search import FoundLine, LineSearch, decode_line
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface import error_codes as codes
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from controlplane.sandbox.interface.operations import Plain

# Limits of one search

SEARCH_S: Final = 3.0
"""The longest time of one search, because the parent waits for it."""
MOST_MATCHES: Final = 1_200
"""Matches that one search returns."""
MOST_MATCH_CHARS: Final = 600_000
"""Characters of all lines that one search returns.
Even with every character escaped, they fit one message."""
MOST_CONTEXT_LINES: Final = 20
"""The most lines that a search shows before and after
a match. To see more, a script can read the file."""

# The suggestion for a missing path

MOST_COMPARED_NAMES: Final = 200
"""Names of a directory that are compared with a missing one, to suggest the nearest."""
MIN_SIMILARITY: Final = 0.7
"""A name is suggested for a missing one if they are at least this similar,
from 0 to 1, such as `adress.md` and `address.md` (`_similarity`)."""

# Paths and texts

CONTENT_TYPES: Final = {
    ".json": "application/json",
    ".md": "text/markdown",
    ".csv": "text/csv",
}


def normal_path(path: str) -> str:
    """Return an absolute path in its normal form: `docs//./a.md` -> `/docs/a.md`.

    Raises `CallError` for a NUL, and for a path that is too long or too deep.
    """
    if "\x00" in path:
        raise CallError(INVALID_ARGUMENT, "a path holds no NUL character")
    if len(path) > bounds.MOST_PATH_CHARS:
        raise CallError(
            INVALID_ARGUMENT,
            f"a path has at most {bounds.MOST_PATH_CHARS} characters, not {len(path)}",
        )
    normal = normpath("/" + path.lstrip("/"))
    levels = normal.count("/") if normal != "/" else 0
    if levels > bounds.MOST_FOLDER_LEVELS:
        raise CallError(
            INVALID_ARGUMENT,
            f"a path leads at most {bounds.MOST_FOLDER_LEVELS} levels deep, not {levels}",
        )
    return normal


def base_name(path: str) -> str:
    """Return the last part of a path: `/docs/a.md` -> `a.md`."""
    return path.rpartition("/")[2]


def content_type(path: str) -> str:
    """Return the media type of a file by its suffix: `/a.json` -> `application/json`."""
    return CONTENT_TYPES.get(splitext(path)[1].lower(), "text/plain")


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def bytes_of_change(path: str, text: str | None) -> int:
    """Return the size of a change in a message to a worker. `text` is None for a deleted file."""
    return len(json.dumps([path, text], ensure_ascii=False).encode("utf-8", "replace"))


KINDS: Final = ("all", "files", "dirs")


class FileTree:
    """The text files of `base` by absolute path, and all changes of them.

    `directories` names directories that exist even if they are empty. With
    `ignore_case`, a path that does not exist refers to the existing path that differs
    only in case. `writable(path)` says whether a path may be written or deleted; the
    default permits all. `on_change(path, text)` is called before a file is written, or
    deleted (`text` is None).
    """

    def __init__(
        self,
        base: Mapping[str, str],
        *,
        directories: Iterable[str] = (),
        ignore_case: bool = False,
        writable: Callable[[str], bool] = lambda path: True,
        on_change: Callable[[str, str | None], None] = lambda path, text: None,
    ) -> None:
        self._base = base
        self._overlay: dict[str, str | None] = {}
        """The texts of changed files by path; None for a deleted file."""
        self._overlay_bytes = 0
        """The sum of `bytes_of_change` of all changes."""
        self._ignore_case = ignore_case
        self._writable = writable
        self.on_change = on_change
        self.version = 0
        """The number of changes so far."""
        self._given_directories = tuple(map(normal_path, directories))

        # Three caches, computed when they are first needed. A change of a file updates
        # the first one, and clears the other two.
        self._index: dict[str, set[str]] | None = None
        """The names in each directory: `{"/": {"docs"}, "/docs": {"a.md"}}`."""
        self._spellings: dict[str, str] | None = None
        """Paths by their folded form: `{"/docs/a.md": "/Docs/A.md"}`."""
        self._walked: dict[str, Sequence[tuple[str, bool]]] = {}
        """For each directory that was walked, everything below it, as `_walk` returns it."""

    @property
    def changes(self) -> Mapping[str, str | None]:
        """Written (path to text) and deleted (path to None) files since the start."""
        return MappingProxyType(self._overlay)

    def text(self, path: str) -> str | None:
        """Return the whole text of the file at exactly `path`, or None if there is no file."""
        if path in self._overlay:
            return self._overlay[path]
        try:
            # Not `get`: `Mapping.get` may call `__getitem__`, which reads the file, twice.
            return self._base[path]
        except KeyError:
            return None

    def resolve(self, path: str) -> str | None:
        """Return the existing path that `path` refers to, or None if there is none."""
        path = normal_path(path)
        if self._exists(path):
            return path
        if not self._ignore_case:
            return None
        if self._spellings is None:
            # If several paths differ only in case, the first one counts. Backwards, it is
            # the last to be set.
            self._spellings = {}
            for existing_path, _ in reversed(self._walk("/")):
                self._spellings[existing_path.casefold()] = existing_path
        spelling = self._spellings.get(path.casefold())
        if spelling is not None and self._exists(spelling):
            return spelling
        return None

    def paths(self, root: str = "/", glob: str = "") -> list[str]:
        """Return the paths of all files at or below `root`, sorted.

        A glob such as `*.md` selects files by name; one with a slash, such as
        `docs/*.md`, by path. Raises `CallError` if `root` does not exist.
        """
        check_glob(glob)
        resolved = self._existing_path(root)
        files = [resolved]
        if self._is_dir(resolved):
            files = [path for path, is_dir in self._walk(resolved) if not is_dir]

        if not glob:
            return files
        if "/" not in glob:
            return [path for path in files if fnmatchcase(base_name(path), glob)]
        if glob.startswith("*"):
            # `*/a.md` matches at any depth, since `*` also matches slashes.
            path_glob = glob
        else:
            path_glob = normal_path(glob)  # `docs/*.md` -> `/docs/*.md`
        return [path for path in files if fnmatchcase(path, path_glob)]

    def read(
        self, path: str, start_line: int = 0, end_line: int = 0
    ) -> dict[str, Plain]:
        """Return the text of a file, or of its lines from `start_line` to `end_line`.

        Lines count from 1, and both are included.
        0 means the first or the last line of the file.
        """
        resolved = self._existing_path(path)
        if self._is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a directory; list it")
        whole = self.text(resolved)
        if whole is None:
            raise CallError(codes.NOT_FOUND, f"{resolved} cannot be read any more")
        content = whole
        if start_line or end_line:
            if start_line < 0 or end_line < 0 or (end_line and start_line > end_line):
                msg = (
                    f"lines {start_line} to {end_line} are no range (they count from 1)"
                )
                raise CallError(INVALID_ARGUMENT, msg)
            # `str.splitlines` would also split at other characters than a line feed.
            lines = io.StringIO(whole, newline="\n")
            content = "".join(islice(lines, max(start_line - 1, 0), end_line or None))
        return {
            "path": resolved,
            "content": content,
            "truncated": False,
            "sha256": sha256_of(whole),
            "content_type": content_type(resolved),
        }

    def list(self, path: str = "/") -> dict[str, Plain]:
        """Return the entries of a directory, sorted by name. Raises `CallError` for a file."""
        resolved = self._existing_path(path)
        if not self._is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a file, not a directory")
        # Within this class, the annotation `list` would mean this method.
        entries: MutableSequence[Plain] = []
        for name in sorted(self._directories()[resolved]):
            entry_path = join(resolved, name)
            entries.append(
                {"name": name, "path": entry_path, "is_dir": self._is_dir(entry_path)}
            )
        return {"entries": [*entries]}

    def tree(self, root: str = "/", level: int = 2) -> dict[str, Plain]:
        """Return a file or directory with everything below it, `level` directories deep (0: all).

        Each node has its `name`, `is_dir` and `children`.
        """
        if level < 0:
            raise CallError(
                INVALID_ARGUMENT, f"level {level} is negative; 0 means all levels"
            )
        resolved = self._existing_path(root)
        levels = level or bounds.MOST_FOLDER_LEVELS + 1
        return self._node(resolved, base_name(resolved) or "/", levels)

    def find(
        self, name: str, root: str = "/", kind: str = "all", limit: int = 10
    ) -> dict[str, Plain]:
        """Return the paths below `root` whose name matches the glob `name`.

        `kind` is `all`, `files` or `dirs`. At most `limit` paths are returned; 0 for
        all. An empty glob matches every name.
        """
        if kind not in KINDS:
            raise CallError(
                INVALID_ARGUMENT, f"kind {kind!r} is not one of {', '.join(KINDS)}"
            )
        check_glob(name)
        glob = self._folded(name) or "*"
        paths: MutableSequence[Plain] = []
        is_cut = False
        for path, is_dir in self._walk(self._existing_path(root)):
            if kind == "files" and is_dir:
                continue
            if kind == "dirs" and not is_dir:
                continue
            if not fnmatchcase(self._folded(base_name(path)), glob):
                continue
            if 0 < limit <= len(paths):  # 0 is no limit.
                is_cut = True
                break
            paths.append(path)
        return {"paths": [*paths], "truncated": is_cut}

    def _folded(self, name: str) -> str:
        """Return a name as it is compared: in lower case if case is ignored."""
        return name.casefold() if self._ignore_case else name

    def search(
        self,
        pattern: str,
        root: str = "/",
        limit: int = 10,
        files: str = "",
        context: int = 0,
        files_only: bool = False,
    ) -> dict[str, Plain]:
        """Return the lines at or below `root` that match a regular expression.

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
        results = _SearchResults(
            most_matches=limit if 0 < limit < MOST_MATCHES else MOST_MATCHES,
            context=max(0, min(context, MOST_CONTEXT_LINES)),
        )
        paths = self._searched_paths(root, files)
        searched_files = self._search_files(
            paths, search, results, files_only=files_only
        )

        # Report the files that were not searched.
        is_cut = searched_files < len(paths)
        searched = f"{searched_files:,} of {len(paths):,} files"
        if is_cut:
            searched += "; narrow it by root or files"
        if search.may_have_missed_match:
            searched += (
                f"; lines of more than {bounds.MOST_SEARCHED_LINE_BYTES:,} bytes were searched in "
                "parts, so that longer matches are not found"
            )
        return {
            "matches": results.matches,
            "truncated": is_cut or search.may_have_missed_match,
            "searched": searched,
        }

    def _search_files(
        self,
        paths: Iterable[str],
        search: LineSearch,
        results: _SearchResults,
        *,
        files_only: bool,
    ) -> int:
        """Search one file after another until a limit of time or size is reached.

        Adds the matching lines to `results`, and returns
        the number of files that were searched completely.
        """
        texts = ((path, self._in_utf_8(path)) for path in paths)
        searched_files = 0
        for path, text in search.texts_to_search(texts):
            lines = search.lines_of(text)
            if files_only:
                lines = islice(lines, 1)
            results.add(path, text, lines)
            if results.is_full or search.is_late:
                break
            searched_files += 1
        return searched_files

    def _searched_paths(self, root: str, glob: str) -> Sequence[str]:
        """Return the files to search.

        `ListedFiles.large` names files that take long to search. Such a file is searched
        only if it is the root itself, because the script then asks for this very file.
        """
        large: Collection[str] = ()
        if isinstance(self._base, ListedFiles):
            large = self._base.large

        paths = []
        for path in self.paths(root, glob):
            is_root = path == normal_path(root)
            if path not in large or is_root:
                paths.append(path)
        return paths

    def stat(self, path: str) -> dict[str, Plain]:
        """Return what a path is. The content type of a directory is empty."""
        resolved = self._existing_path(path)
        is_dir = self._is_dir(resolved)
        return {
            "path": resolved,
            "is_dir": is_dir,
            "content_type": "" if is_dir else content_type(resolved),
            "writable": self._writable(resolved),
        }

    def write(
        self, path: str, content: str, if_match_sha256: str = ""
    ) -> dict[str, Plain]:
        """Write a file, and make missing directories above it. Raises `CallError`.

        With `if_match_sha256`, the file is written
        only if its present text has that hash.
        """
        # 1. Check the place. An existing file keeps its spelling; a new one has that of `path`.
        target = self.resolve(path) or normal_path(path)
        if self._is_dir(target):
            raise CallError(codes.FAILED_PRECONDITION, f"{target} is a directory")
        folder_above = dirname(target)
        while folder_above != "/":
            if self.text(folder_above) is not None:
                raise CallError(
                    codes.FAILED_PRECONDITION,
                    f"{folder_above} is a file; nothing can be written below it",
                )
            folder_above = dirname(folder_above)
        if not self._writable(target):
            raise CallError(codes.PERMISSION_DENIED, f"{target} may not be written")

        # 2. Check that the file has not changed since it was read.
        if if_match_sha256:
            present_text = self.text(target)
            actual_sha256 = "" if present_text is None else sha256_of(present_text)
            if actual_sha256 != if_match_sha256.lower():
                msg = (
                    f"{target} has sha256 {actual_sha256 or '(no file)'}; read it again"
                )
                raise CallError(codes.FAILED_PRECONDITION, msg)

        self.apply(target, content)
        return {"path": target}

    def delete(self, path: str) -> dict[str, Plain]:
        """Remove a file. Raises `CallError` for a directory."""
        resolved = self._existing_path(path)
        if self._is_dir(resolved):
            raise CallError(
                codes.FAILED_PRECONDITION,
                f"{resolved} is a directory; delete its files one by one",
            )
        if not self._writable(resolved):
            raise CallError(codes.PERMISSION_DENIED, f"{resolved} may not be deleted")
        self.apply(resolved, None)
        return {"path": resolved}

    def apply(self, path: str, text: str | None) -> None:
        """Write a file, or delete it if `text` is None. The path is not checked.

        Raises `CallError` if all changes together would take too many bytes.
        """
        overlay_bytes = self._overlay_bytes + bytes_of_change(path, text)
        if path in self._overlay:
            overlay_bytes -= bytes_of_change(path, self._overlay[path])
        if text is not None and overlay_bytes > bounds.MOST_WRITTEN_BYTES:
            msg = f"all that is written may take at most {bounds.MOST_WRITTEN_BYTES} bytes"
            raise CallError(codes.RESOURCE_EXHAUSTED, msg)
        # Call this first: if it raises, for example because a disk is full, nothing has changed.
        self.on_change(path, text)
        self.version += 1
        self._overlay_bytes = overlay_bytes
        self._overlay[path] = text

        # The index is needed for nearly every call, so it is updated rather than computed again.
        self._spellings = None
        self._walked.clear()
        if self._index is not None:
            _update_index(self._index, path, text)

    def _in_utf_8(self, path: str) -> bytes:
        """Return the text of a file in UTF-8; empty if there is no file.

        `ListedFiles` (files that are read when they are needed) may have the bytes already.
        """
        if isinstance(self._base, ListedFiles) and path not in self._overlay:
            return self._base.in_utf_8(path)
        return (self.text(path) or "").encode("utf-8", "surrogatepass")

    def _directories(self) -> dict[str, set[str]]:
        """Return the names in each directory: `{"/": {"docs"}, "/docs": {"a.md"}}`."""
        if self._index is None:
            self._index = {"/": set()}
            for path in self._given_directories:
                _add_to_index(self._index, path)
                self._index.setdefault(path, set())
            for path in self._base:
                _add_to_index(self._index, path)
            for path, text in self._overlay.items():
                _update_index(self._index, path, text)
        return self._index

    def _is_dir(self, path: str) -> bool:
        return path in self._directories()

    def _exists(self, path: str) -> bool:
        is_file = path in self._base
        if path in self._overlay:
            is_file = self._overlay[path] is not None
        return is_file or self._is_dir(path)

    def _existing_path(self, path: str) -> str:
        """Return the existing path that `path` refers to. Raises `CallError` with a suggestion."""
        resolved = self.resolve(path or "/")
        if resolved is None:
            missing = normal_path(path)
            raise CallError(
                codes.NOT_FOUND, f"there is no {missing}{self._near(missing)}"
            )
        return resolved

    def _near(self, missing: str) -> str:
        """Return a suggestion for a missing path: `; there is /docs/address.md`.

        It is the most similar name in the same directory; empty if none is similar.
        """
        missing_name = base_name(missing).casefold()
        folder = dirname(missing)
        best_name = ""
        best_similarity = 0.0
        for name in sorted(self._directories().get(folder, ()))[:MOST_COMPARED_NAMES]:
            similarity = _similarity(missing_name, name.casefold())
            if similarity > best_similarity:
                best_name = name
                best_similarity = similarity
        if best_similarity < MIN_SIMILARITY:
            return ""
        return f"; there is {join(folder, best_name)}"

    def _walk(self, root: str) -> Sequence[tuple[str, bool]]:
        """Return `(path, is_dir)` of everything below `root`, a directory before its content."""
        if root not in self._walked:
            below: MutableSequence[tuple[str, bool]] = []
            directories = self._directories()
            for name in sorted(directories.get(root, ())):
                path = f"{root.rstrip('/')}/{name}"
                is_dir = path in directories
                below.append((path, is_dir))
                if is_dir:
                    below += self._walk(path)
            self._walked[root] = below
        return self._walked[root]

    def _node(self, path: str, name: str, level: int) -> dict[str, Plain]:
        """Return a file or directory as the node of a tree with `level` levels below it."""
        names = self._directories().get(path)
        children: MutableSequence[Plain] = []
        if names and level:
            for child_name in sorted(names):
                child_path = f"{path.rstrip('/')}/{child_name}"
                children.append(self._node(child_path, child_name, level - 1))
        return {"name": name, "is_dir": names is not None, "children": [*children]}


def check_glob(glob: str) -> None:
    """Raise `CallError` for a glob that is longer than a name may be."""
    if len(glob) > bounds.MOST_GLOB_CHARS:
        msg = f"a glob has at most {bounds.MOST_GLOB_CHARS} characters, not {len(glob)}"
        raise CallError(INVALID_ARGUMENT, msg)


class _SearchResults:
    """The matches of a search so far, as many as one result can hold."""

    def __init__(self, most_matches: int, context: int) -> None:
        self.matches: list[Plain] = []
        self.is_full = False
        """True if a match was left out because the results were full."""
        self._most_matches = most_matches
        self._context = context
        """Lines that are shown before and after a match."""
        self._remaining_chars = MOST_MATCH_CHARS

    def add(self, path: str, text: bytes, lines: Iterable[FoundLine]) -> None:
        """Add the matching lines of a file, until there is no room."""
        surroundings = _Surroundings(text, self._context)
        for line in lines:
            match: dict[str, Plain] = {
                "path": path,
                "line": line.number,
                "text": line.text,
            }
            if line.offset is not None:
                # The text is an excerpt of a long line. It is shown without other lines.
                match["char"] = _char_of(text, line.number, line.offset)
            elif self._context:
                passage = surroundings.of_line(line.number)
                if passage is None:
                    continue  # The passages of earlier matches show this line and its context.
                match["first"] = passage.first_line
                match["text"] = passage.text

            text_chars = len(str(match["text"]))
            has_room = text_chars <= self._remaining_chars
            if not has_room or len(self.matches) >= self._most_matches:
                self.is_full = True
                return
            self._remaining_chars -= text_chars
            self.matches.append(match)


@dataclass(frozen=True, slots=True)
class _Passage:
    """Consecutive lines of a file."""

    first_line: int
    text: str


class _Surroundings:
    """The lines around the matches of one file.

    Matches that are near each other share lines. No line is returned twice.
    """

    def __init__(self, text: bytes, context: int) -> None:
        """`context` is the number of lines before and after a match."""
        self._text = text
        self._context = context
        self._lines: list[bytes] = []
        """The lines of the text; empty until they are needed."""
        self._last_returned_line = 0
        """The number of the last line that was returned.
        It may be larger than the number of lines in the text."""

    def of_line(self, number: int) -> _Passage | None:
        """Return the lines around a match, from the first one that was not returned before.

        With a context of 2, the matches in the lines 10 and 12 give the lines 8 to 12,
        and 13 to 14. None if nothing is left to show: no line, or a single empty one.
        """
        if not self._lines:
            self._lines = self._text.split(b"\n")
        first_line = max(number - self._context, self._last_returned_line + 1)
        last_line = number + self._context
        self._last_returned_line = last_line

        # Lines are numbered from 1. If the text ends before `last_line`, there are fewer.
        lines = self._lines[first_line - 1 : last_line]
        text = decode_line(b"\n".join(lines))
        if not text:
            return None
        return _Passage(first_line, text)


def _char_of(text: bytes, line_number: int, offset: int) -> int:
    """Return the number of the character (from 1, in the whole text) at a byte offset of a line."""
    # 1. Find the byte at which the line starts, behind `line_number - 1` line feeds.
    line_start = 0
    for _ in range(line_number - 1):
        line_start = text.find(b"\n", line_start) + 1

    # 2. Count the characters before the position. The next one is the character asked for.
    before = decode_line(text[: line_start + offset])
    return len(before) + 1


class ListedFiles(Mapping[str, str]):
    """A mapping of paths to texts.

    The paths are known from the start; each text is fetched when it is needed.
    """

    paths: Mapping[str, object]
    large: Collection[str] = ()
    """Files that are searched only if the root of the search is the file itself."""

    def in_utf_8(self, path: str) -> bytes:
        """Return a file's text in UTF-8, for a search."""
        return self[path].encode("utf-8", "surrogatepass")

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


@dataclass(frozen=True, slots=True)
class WorldFiles:
    """The files of an environment at the start of a trial, for tools that run in a worker."""

    texts: Mapping[str, str]
    module: str
    """The module of the tools. It has a function `open_tools`, as `tool_world` describes."""
    directories: tuple[str, ...] = ()
    """Directories that exist even without files."""
    data: Plain = None
    """Passed to `open_tools` as its last argument."""


def _similarity(name: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1.

    It is the share of the longer name that their common beginning and end make up.
    `adress` and `address` have `ad` and `ress` in common: 6 of 7 characters.
    """
    shared_start = len(commonprefix([name, other]))
    name_rest = name[shared_start:]
    other_rest = other[shared_start:]
    shared_end = len(commonprefix([name_rest[::-1], other_rest[::-1]]))
    return (shared_start + shared_end) / max(len(name), len(other), 1)


def _update_index(index: dict[str, set[str]], path: str, text: str | None) -> None:
    """Add a written file to the index, or remove a deleted one.

    The directory of a deleted file stays, even if it was not in the index before.
    """
    _add_to_index(index, path)
    if text is None:
        index[dirname(path)].discard(base_name(path))


def _add_to_index(index: dict[str, set[str]], path: str) -> None:
    """Add a path to the index, and all directories above it that are missing there.

    For `/docs/a.md`: `a.md` to the names in `/docs`, and `docs` to the names in `/`.
    """
    while path != "/":
        above, _, name = path.rpartition("/")
        above = above or "/"
        if above in index:
            # All directories above this one are in the index, too.
            index[above].add(name)
            return
        index[above] = {name}
        path = above
