"""The one in-memory file tree: read, list, tree, find, search, stat, write, delete, with an overlay over a base.

Answers are deterministic (listings are sorted), and failures have the error codes of `CallError`. The base is never
altered. Every call takes time linear in the texts and names, so that the trusted side may make it: patterns have the
syntax of RE2, which is also what a platform written in Go takes.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import time
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
from functools import lru_cache
from itertools import islice
from posixpath import commonprefix, dirname, join, normpath, splitext
from types import MappingProxyType
from typing import Any, Final

import re2

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface import error_codes as codes
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from controlplane.sandbox.interface.operations import Plain

CONTENT_TYPES: Final = {".json": "application/json", ".md": "text/markdown", ".csv": "text/csv"}


def normal_path(path: str) -> str:
    """Return `path` absolute, with `.`, `..` and doubled slashes resolved.

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


def content_type(path: str) -> str:
    """Return the media type of the path's suffix; `text/plain` for an unknown one."""
    return CONTENT_TYPES.get(splitext(path)[1].lower(), "text/plain")


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def bytes_of_change(path: str, text: str | None) -> int:
    """Return the bytes that a change takes in a message; `text` is None for a deleted file."""
    return len(json.dumps([path, text], ensure_ascii=False).encode("utf-8", "replace"))


_REMEDIES: Final = (
    (
        r"\(\?<?[=!]",
        "RE2 has no look-around: match the text around it too, and filter the lines in Python",
    ),
    (r"\\[1-9]|\(\?P=", "RE2 has no back references: match both parts, and compare them in Python"),
    (r"[*+?}]\+|\(\?>", "RE2 has no possessive or atomic groups: write the plain repetition"),
    (r"\\Z", r"RE2 writes the end of the text as \z, and the end of a line as $"),
    (r"\\[uUN]", r"RE2 writes a character by its number as \x{20AC}, or as itself"),
    (r"\(\?\(", "RE2 has no conditional groups: write the cases as alternatives"),
)
_CHUNK_BYTES: Final = 65_536
"""Bytes searched at once, and between two looks at the clock."""
_PER_LINE_ONLY: Final = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""What means something else in a text of several lines, even where `^` and `$` match at each of them."""


def refusal(pattern: str, reason: str) -> str:
    """Return the message for a pattern that RE2 does not take: the reason, and what to write instead."""
    shown = pattern if len(pattern) <= 200 else f"{pattern[:200]}…"
    advice = next(
        (remedy for sign, remedy in _REMEDIES if re.search(sign, pattern)),
        "patterns have the syntax of RE2",
    )
    return f"error parsing regexp `{shown}`: {reason}; {advice}"


@lru_cache(maxsize=256)
def compiled_pattern(pattern: str, *, is_multiline: bool = False) -> Any:
    """Return the matcher of a pattern, which takes text or UTF-8 bytes as those of `re` do.

    Raises `CallError` (`invalid_argument`) for what RE2 does not read and for a pattern that is too large.
    """
    if len(pattern) > bounds.MOST_PATTERN_CHARS:
        msg = f"a pattern has at most {bounds.MOST_PATTERN_CHARS} characters, not {len(pattern)}"
        raise CallError(INVALID_ARGUMENT, msg)
    options = re2.Options()
    options.log_errors = False
    try:
        matcher = re2.compile(f"(?m){pattern}" if is_multiline else pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = (
            error.args[0]
            if error.args and not isinstance(error, UnicodeEncodeError)
            else "a lone surrogate"
        )
        said = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise CallError(INVALID_ARGUMENT, refusal(pattern, said)) from None
    # Max instructions of a compiled pattern: the time for one byte of text is at most proportional to them.
    if matcher.programsize > 4_000:
        msg = f"the pattern {pattern[:200]!r} is too large when its repetitions are written out; repeat less"
        raise CallError(INVALID_ARGUMENT, msg)
    return matcher


class LineSearch:
    """Finds the lines of texts that a pattern matches; lines end with a line feed, and count from 1.

    It ends when all texts together have taken `most_s`. Raises `CallError` (`invalid_argument`) for the pattern.
    """

    def __init__(self, pattern: str, most_s: float) -> None:
        self._line = compiled_pattern(pattern)
        self._text = (
            None if _PER_LINE_ONLY.search(pattern) else compiled_pattern(pattern, is_multiline=True)
        )
        self._deadline = time.monotonic() + most_s

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def texts_to_search(self, texts: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """Yield texts by path, but an empty one in place of a small one in which no line can match."""
        batch, size = list[tuple[str, bytes]](), 0
        for path, text in texts:
            batch.append((path, text))
            size += len(text)
            if size > _CHUNK_BYTES or len(batch) == 64:  # A match may reach over all of them.
                yield from self._with_matches(batch)
                batch, size = [], 0
                if self.is_late:
                    return
        yield from self._with_matches(batch)

    def _with_matches(self, texts: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """Yield texts, but an empty one in place of one in which no match begins."""
        normal = [text.replace(b"\r\n", b"\n").removesuffix(b"\r") for _, text in texts]
        joined, start = b"\n".join(normal), 0
        if self._text is None or len(joined) >= 2 * _CHUNK_BYTES:
            yield from texts
            return
        match = self._text.search(joined)
        for (path, text), searched in zip(texts, normal, strict=True):
            if match and match.start() < start:
                match = self._text.search(joined, start)
            yield path, text if match and match.start() <= start + len(searched) else b""
            start += len(searched) + 1

    def lines_of(self, text: bytes) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line of a text in UTF-8 that matches, without its end."""
        data = text.replace(b"\r\n", b"\n").removesuffix(b"\r")
        start, counted, number = 0, 0, 1
        while start < len(data) and not self.is_late:
            end = data.find(b"\n", start + _CHUNK_BYTES) + 1 or len(data)
            chunk = data[start:end]
            number += data.count(b"\n", counted, start)
            counted = start
            yield from self._matching(chunk, number)
            start = end

    def _matching(self, chunk: bytes, number: int) -> Iterator[tuple[int, str]]:
        """Yield the matching lines of a chunk: by the places of its matches in few lines, else by halves.

        A half is looked at only if it holds a match at all.
        """
        half, small = (
            len(chunk) // 2,
            self._text if len(chunk) <= bounds.MOST_SEARCHED_LINE_BYTES else None,
        )
        middle = (chunk.rfind(b"\n", 0, half) + 1) or (chunk.find(b"\n", half) + 1)
        if (
            small and chunk.count(b"\n") <= 64
        ):  # A match may reach over all of them, and is looked for in each.
            yield from self._at_matches(small, chunk.removesuffix(b"\n"), number)
        elif not 0 < middle < len(chunk):
            line = chunk.removesuffix(b"\n")
            if self._line.search(line[: bounds.MOST_SEARCHED_LINE_BYTES]):
                yield number, _decoded(line)
        elif small is None or small.search(chunk):
            yield from self._matching(chunk[:middle], number)
            yield from self._matching(chunk[middle:], number + chunk.count(b"\n", 0, middle))

    def _at_matches(self, pattern: Any, lines: bytes, number: int) -> Iterator[tuple[int, str]]:
        """Yield the lines in which a match begins, if they match alone as well."""
        start = 0
        while start <= len(lines) and (match := pattern.search(lines, start)):
            first = lines.rfind(b"\n", start, match.start()) + 1 or start
            end = lines.find(b"\n", match.start())
            line = lines[first:] if end < 0 else lines[first:end]
            if match.end() <= first + len(line) or self._line.search(line):
                yield number + lines.count(b"\n", 0, first), _decoded(line)
            start = first + len(line) + 1


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # Bytes that are not text in UTF-8 are searched as they are.
        return line.decode("utf-8", "replace")


KINDS: Final = ("all", "files", "dirs")


class FileTree:
    """Text files by absolute path over `base`, with every change kept in an overlay.

    `directories` names empty directories.
    `ignore_case` resolves a path to the only existing spelling that differs from it in case.
    `writable` says which paths may be written or deleted (default: all).
    `on_change(path, text or None)` is called before each change takes effect.
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
        self._overlay_bytes = 0
        self._ignore_case = ignore_case
        self._writable = writable
        self.on_change = on_change
        self.version = 0
        """The number of changes so far."""
        self._given_directories = tuple(map(normal_path, directories))
        self._index: dict[str, set[str]] | None = None
        self._spellings: dict[str, str] | None = None
        self._walked: dict[str, Sequence[tuple[str, bool]]] = {}
        """Contents of directories, with everything below, as requested since the last change."""

    @property
    def changes(self) -> Mapping[str, str | None]:
        """Written (path to text) and deleted (path to None) files since the start."""
        return MappingProxyType(self._overlay)

    def text(self, path: str) -> str | None:
        """Return the whole text of the file at exactly `path`, or None if there is no file."""
        if path in self._overlay:
            return self._overlay[path]
        try:
            return self._base[
                path
            ]  # Faster than `get`, which looks twice in maps that are not dictionaries.
        except KeyError:
            return None

    def resolve(self, path: str) -> str | None:
        """Return the spelling under which listings show `path`, or None if nothing is there."""
        path = normal_path(path)
        if self._exists(path):
            return path
        if not self._ignore_case:
            return None
        if self._spellings is None:
            self._spellings = {path.casefold(): path for path, _ in reversed(self._walk("/"))}
        listed = self._spellings.get(path.casefold())
        return listed if listed is not None and self._exists(listed) else None

    def paths(self, root: str = "/", glob: str = "") -> list[str]:
        """Return the paths of all files at or below `root`, sorted; with a glob, of those whose name fits it, or whose
        path if the glob has a slash. Raises `CallError` for a missing path."""
        resolved = self._there(root)
        below = (
            [path for path, is_dir in self._walk(resolved) if not is_dir]
            if self._is_dir(resolved)
            else [resolved]
        )
        check_glob(glob)
        if "/" not in glob:
            return (
                [path for path in below if fnmatchcase(path.rsplit("/", 1)[1], glob)]
                if glob
                else below
            )
        of_path = glob if glob.startswith("*") else normal_path(glob)
        return [path for path in below if fnmatchcase(path, of_path)]

    def read(self, path: str, start_line: int = 0, end_line: int = 0) -> dict[str, Plain]:
        """Return `path content truncated sha256 content_type`; lines count from 1, both ends included, 0 is open."""
        resolved = self._there(path)
        if self._is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a directory; list it")
        whole = self.text(resolved)
        if whole is None:
            raise CallError(codes.NOT_FOUND, f"{resolved} cannot be read any more")
        content = whole
        if start_line or end_line:
            if start_line < 0 or end_line < 0 or (end_line and start_line > end_line):
                msg = f"lines {start_line} to {end_line} are no range (they count from 1)"
                raise CallError(INVALID_ARGUMENT, msg)
            lines = io.StringIO(whole, newline="\n")  # Only a line feed ends a line.
            content = "".join(islice(lines, max(start_line - 1, 0), end_line or None))
        return {
            "path": resolved,
            "content": content,
            "truncated": False,
            "sha256": sha256_of(whole),
            "content_type": content_type(resolved),
        }

    def list(self, path: str = "/") -> dict[str, Plain]:
        """Return `entries`, each `name path is_dir`, by name. Raises `CallError` for a file or a missing path."""
        resolved = self._there(path)
        if not self._is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a file, not a directory")
        entries = ((name, join(resolved, name)) for name in sorted(self._directories()[resolved]))
        return {
            "entries": [
                {"name": name, "path": path, "is_dir": self._is_dir(path)} for name, path in entries
            ]
        }

    def tree(self, root: str = "/", level: int = 2) -> dict[str, Plain]:
        """Return nested `name is_dir children`, `level` directories deep (0: all); `root` may be a file.

        Every name is a base name, including the root's.
        """
        if level < 0:
            raise CallError(INVALID_ARGUMENT, f"level {level} is negative; 0 means all levels")
        resolved = self._there(root)
        return self._node(resolved, resolved.rsplit("/", 1)[1] or "/", level or -1)

    def find(
        self, name: str, root: str = "/", kind: str = "all", limit: int = 10
    ) -> dict[str, Plain]:
        """Return `paths` below `root` whose base name fits the glob `name`, sorted, and `truncated`. Limit 0: all.

        An empty name fits everything.
        """
        if kind not in KINDS:
            raise CallError(INVALID_ARGUMENT, f"kind {kind!r} is not one of {', '.join(KINDS)}")
        check_glob(name)
        fold = str.casefold if self._ignore_case else str
        pattern = fold(name) or "*"
        paths: list[Plain] = []
        for path, is_dir in self._walk(self._there(root)):
            is_of_kind = kind == "all" or is_dir == (kind == "dirs")
            if is_of_kind and fnmatchcase(fold(path.rsplit("/", 1)[1]), pattern):
                if 0 < limit <= len(paths):
                    return {"paths": paths, "truncated": True}
                paths.append(path)
        return {"paths": paths, "truncated": False}

    def search(
        self,
        pattern: str,
        root: str = "/",
        limit: int = 10,
        files: str = "",
        context: int = 0,
        files_only: bool = False,
    ) -> dict[str, Plain]:
        """Return `matches`, each `path line text`, of a regular expression by line, `truncated`, and in `searched` how
        many of the files that fit the glob `files` were searched in 3 s. Limit 0: the most.

        `context` lines around a match are shown with it, from the line `first`; `files_only` shows only the first match
        of a file.
        """
        search = LineSearch(pattern, 3.0)
        # Lines, and characters of all lines, that the result of one call can hold.
        most, room = limit if 0 < limit < 1_200 else 1_200, 600_000
        around, large = (
            max(0, min(context, 20)),
            self._base.large if isinstance(self._base, ListedFiles) else (),
        )
        paths = [
            path
            for path in self.paths(root, files)
            if path not in large or path == normal_path(root)
        ]
        matches, done, is_full = list[Plain](), 0, False
        for path, text in search.texts_to_search((path, self._in_utf_8(path)) for path in paths):
            if not text:
                done += 1
                continue
            lines, shown_to = list[bytes](), 0
            for line, matched in islice(search.lines_of(text), 1 if files_only else None):
                lines = lines or (text.split(b"\n") if around else [])
                first, shown_to = max(line - around, shown_to + 1), line + around
                shown = _decoded(b"\n".join(lines[first - 1 : shown_to])) if around else matched
                room -= len(shown)
                if is_full := len(matches) >= most or room < 0:
                    break
                if shown or not around:  # Else the match before shows it.
                    matches.append(
                        {
                            "path": path,
                            "line": line,
                            "text": shown,
                            **({"first": first} if around else {}),
                        }
                    )
            if is_full or search.is_late:
                break
            done += 1
        is_cut = done < len(paths)
        searched = (
            f"{done:,} of {len(paths):,} files{'; narrow it by root or files' if is_cut else ''}"
        )
        return {"matches": matches, "truncated": is_cut, "searched": searched}

    def stat(self, path: str) -> dict[str, Plain]:
        """Return `path is_dir content_type writable`; the content type of a directory is empty."""
        resolved = self._there(path)
        is_dir = self._is_dir(resolved)
        return {
            "path": resolved,
            "is_dir": is_dir,
            "content_type": "" if is_dir else content_type(resolved),
            "writable": self._writable(resolved),
        }

    def write(self, path: str, content: str, if_match_sha256: str = "") -> dict[str, Plain]:
        """Replace or make a file, with missing directories above it. A wrong hash is `failed_precondition`."""
        target = self.resolve(path) or normal_path(path)
        if self._is_dir(target):
            raise CallError(codes.FAILED_PRECONDITION, f"{target} is a directory")
        above = dirname(target)
        while above != "/":
            if self.text(above) is not None:
                raise CallError(
                    codes.FAILED_PRECONDITION, f"{above} is a file; nothing can be written below it"
                )
            above = dirname(above)
        if not self._writable(target):
            raise CallError(codes.PERMISSION_DENIED, f"{target} may not be written")
        if if_match_sha256:
            present = self.text(target)
            actual = "" if present is None else sha256_of(present)
            if actual != if_match_sha256.lower():
                msg = f"{target} has sha256 {actual or '(no file)'}; read it again"
                raise CallError(codes.FAILED_PRECONDITION, msg)
        self.apply(target, content)
        return {"path": target}

    def delete(self, path: str) -> dict[str, Plain]:
        """Remove a file and return its `path`. A directory is `failed_precondition`."""
        resolved = self._there(path)
        if self._is_dir(resolved):
            raise CallError(
                codes.FAILED_PRECONDITION, f"{resolved} is a directory; delete its files one by one"
            )
        if not self._writable(resolved):
            raise CallError(codes.PERMISSION_DENIED, f"{resolved} may not be deleted")
        self.apply(resolved, None)
        return {"path": resolved}

    def apply(self, path: str, text: str | None) -> None:
        """Make one change that is allowed: write a file, or delete it. Raises `CallError` if there is no room."""
        held = self._overlay_bytes + bytes_of_change(path, text)
        if path in self._overlay:
            held -= bytes_of_change(path, self._overlay[path])
        if text is not None and held > bounds.MOST_WRITTEN_BYTES:
            msg = f"all that is written may take at most {bounds.MOST_WRITTEN_BYTES} bytes"
            raise CallError(codes.RESOURCE_EXHAUSTED, msg)
        self.on_change(path, text)
        self.version += 1
        self._overlay_bytes = held
        self._overlay[path] = text
        self._spellings = None
        self._walked.clear()
        if self._index is not None:
            _enter(self._index, path, text)

    def _in_utf_8(self, path: str) -> bytes:
        if isinstance(self._base, ListedFiles) and path not in self._overlay:
            return self._base.in_utf_8(path)
        return (self.text(path) or "").encode("utf-8", "surrogatepass")

    def _directories(self) -> dict[str, set[str]]:
        if self._index is None:
            self._index = {"/": set()}
            for path in self._given_directories:
                _add(self._index, path)
                self._index.setdefault(path, set())
            for path in self._base:
                _add(self._index, path)
            for path, text in self._overlay.items():
                _enter(self._index, path, text)
        return self._index

    def _is_dir(self, path: str) -> bool:
        return path in self._directories()

    def _exists(self, path: str) -> bool:
        return (
            self._overlay[path] is not None if path in self._overlay else path in self._base
        ) or self._is_dir(path)

    def _there(self, path: str) -> str:
        resolved = self.resolve(path or "/")
        if resolved is None:
            missing = normal_path(path)
            raise CallError(codes.NOT_FOUND, f"there is no {missing}{self._near(missing)}")
        return resolved

    def _near(self, missing: str) -> str:
        """Return the note in a message that names the path next to a missing one with the most similar spelling."""
        wanted = missing.rsplit("/", 1)[1].casefold()
        shares = {
            name: _shared_ends(wanted, name.casefold())
            # Max names of a directory that are compared with a missing one, to suggest the nearest.
            for name in sorted(self._directories().get(dirname(missing), ()))[:200]
        }
        near = max(shares, key=lambda name: shares[name], default="")
        # The least share of two names that their common beginning and end make up, for one to be taken for the other.
        return f"; there is {join(dirname(missing), near)}" if near and shares[near] >= 0.7 else ""

    def _walk(self, root: str) -> Sequence[tuple[str, bool]]:
        """Return (path, is it a directory) of everything below `root`, parents before children, sorted."""
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
        names = self._directories().get(path)
        children: list[Plain] = []
        if names and level:
            children = [
                self._node(f"{path.rstrip('/')}/{below}", below, level - 1)
                for below in sorted(names)
            ]
        return {"name": name, "is_dir": names is not None, "children": children}


def check_glob(glob: str) -> None:
    """Raise `CallError` for a glob that is longer than a name may be."""
    if len(glob) > bounds.MOST_GLOB_CHARS:
        msg = f"a glob has at most {bounds.MOST_GLOB_CHARS} characters, not {len(glob)}"
        raise CallError(INVALID_ARGUMENT, msg)


class ListedFiles(Mapping[str, str]):
    """Files by path whose texts are fetched when they are asked for; `paths` holds every path."""

    paths: Mapping[str, object]
    large: Collection[str] = ()
    """Files that are searched only if the search names them as its root."""

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
    """The files of a world at a trial's start, and the module whose tools work on them."""

    texts: Mapping[str, str]
    module: str
    """Offers `open_tools`; see `controlplane.sandbox.files.tool_world`."""
    directories: tuple[str, ...] = ()
    """Directories that exist even without files."""
    data: Plain = None
    """The last argument of `open_tools`."""


def _shared_ends(name: str, other: str) -> float:
    """Return the share of the longer name that their common beginning and end make up."""
    start = len(commonprefix([name, other]))
    end = len(commonprefix([name[start:][::-1], other[start:][::-1]]))
    return (start + end) / max(len(name), len(other), 1)


def _enter(index: dict[str, set[str]], path: str, text: str | None) -> None:
    """Enter a file that was written, or that existed and was deleted: its directory stays."""
    _add(index, path)
    if text is None:
        index[dirname(path)].discard(path.rsplit("/", 1)[1])


def _add(index: dict[str, set[str]], path: str) -> None:
    while path != "/":
        above, _, name = path.rpartition("/")
        above = above or "/"
        if above in index:
            index[above].add(name)
            return
        index[above] = {name}
        path = above
