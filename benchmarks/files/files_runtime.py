"""The files of one trial, computed in its aide: the file operations, and the passages that fit words best."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from benchmarks.files.file_sources import HOLDING, LIKELIEST, WORD, words_of
from sandbox import FileTree, ask_parent
from sandbox.files import AskedFiles
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    bound_arguments,
    error_codes,
)

TEXTS_AT_ONCE: Final = 200
KEPT_CHARS: Final = 20_000_000
"""Characters of files to keep here after they were asked for."""
PASSAGE_CHARS: Final = 700
LEAST_CHARS: Final = 200
MOST_PASSAGES: Final = 6_000
MOST_SHOWN: Final = 40
FOLDED: Final = "(?i)"
PLAIN: Final = re.compile(r"(?:[\w \"'/:@=<>,;&%!~#-]|\\[^\w\s|])+(?:\|(?:[\w \"'/:@=<>,;&%!~#-]|\\[^\w\s|])+)*")

PASSAGES: Final = Operation(
    "passages",
    (Parameter("words", "str"), Parameter("limit", "int", 8)),
    (ResultField("matches", ("path", "line", "text")), ResultField("shown")),
    "the passages that fit some words best, in all files; .shown is them as text. Ask in the words of the files",
    Effect.LISTS,
    subject="root",
)
OPERATIONS: Final = {operation.name: operation for operation in (*FILE_OPERATIONS, PASSAGES)}


class BoundedFiles(AskedFiles):
    """Files whose texts come from the parent, and are dropped when they become too many."""

    def __init__(self, paths: list[str]) -> None:
        super().__init__(paths)
        self._kept_chars = 0

    def _asked(self, path: str) -> str:
        text = cast("list[str | None]", ask_parent(path))[0]
        if text is None:
            raise CallError(error_codes.NOT_FOUND, f"{path} cannot be read any more")
        self._kept_chars += len(text)
        if self._kept_chars > KEPT_CHARS:
            self._texts.update(dict.fromkeys(self._texts))
            self._kept_chars = len(text)
        self._texts[path] = text
        return text


class FilesRuntime:
    """Makes the calls of one trial."""

    def __init__(self, paths: list[str], changes: Mapping[str, str | None], writable: str) -> None:
        self.changed: list[Plain] = []
        """The changes of the last call."""
        self._tree = FileTree(
            BoundedFiles(paths),
            changes=changes,
            writable=lambda path: (
                bool(writable) and f"{path}/".startswith(writable.rstrip("/") + "/") and "/." not in path
            ),
            on_change=lambda path, text: self.changed.append([path, text]),
        )

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result fields. Raises `CallError`."""
        self.changed = []
        declared = OPERATIONS[operation]
        try:
            given: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
        except TypeError as fault:
            raise CallError(error_codes.INVALID_ARGUMENT, str(fault)) from None
        home: Any = self if operation in ("search", "passages") else self._tree
        result: dict[str, Plain] = getattr(home, operation)(**given)
        return result

    def search(self, pattern: str, root: str, limit: int) -> dict[str, Plain]:
        """Search as the tree does. For a choice of plain texts the parent says which files hold one of the texts."""
        folds_case = pattern.startswith(FOLDED)
        plain = pattern.removeprefix(FOLDED)
        if not PLAIN.fullmatch(plain) or (folds_case and not plain.isascii()):
            return self._tree.search(pattern, root, limit)
        texts: list[Plain] = [re.sub(r"\\(.)", r"\1", one) for one in plain.split("|")]
        holding = set(self._asked_paths(HOLDING, texts, folds_case=folds_case)) | set(self._tree.changes)
        return self._tree.search(pattern, root, limit, among=holding)

    def passages(self, words: str, limit: int) -> dict[str, Plain]:
        """Return the passages that fit `words` best, by BM25, among those with at least one of the words."""
        stems = words_of(words) or [one.casefold() for one in WORD.findall(words)][:12]
        if not stems:
            raise CallError(error_codes.INVALID_ARGUMENT, "passages(words) needs at least one word")
        likeliest = self._asked_paths(LIKELIEST, cast("list[Plain]", stems), folds_case=True)
        table = sqlite3.connect(":memory:")
        try:
            table.execute("create virtual table passages using fts5(place, text, tokenize='porter unicode61')")
            rows, left = [], MOST_PASSAGES
            for path, text in self._texts_of([*self._tree.changes, *likeliest]):
                for line, passage in passages_in(text):
                    folded = passage.casefold()
                    if left and any(stem in folded for stem in stems):
                        # The path counts too: files are named for what they hold.
                        rows.append((path.replace("/", " ").replace("_", " "), passage, path, line))
                        left -= 1
            table.executemany(
                "insert into passages(rowid, place, text) values (?, ?, ?)",
                [(number, place, text) for number, (place, text, _, _) in enumerate(rows)],
            )
            query = " OR ".join(f'"{word}"' for word in dict.fromkeys(WORD.findall(words.casefold()))) or '""'
            order = table.execute(
                "select rowid from passages where passages match ? order by bm25(passages, 0.5, 1.0) limit ?",
                (query, min(limit if limit > 0 else MOST_SHOWN, MOST_SHOWN)),
            ).fetchall()
        except sqlite3.Error as error:
            raise CallError(error_codes.INVALID_ARGUMENT, f"these words cannot be looked for: {error}") from None
        finally:
            table.close()
        best = [rows[number] for (number,) in order]
        shown = "\n\n".join(f"[{path}, from line {line}]\n{text}" for _, text, path, line in best)
        matches: list[Plain] = [{"path": path, "line": line, "text": text} for _, text, path, line in best]
        return {"matches": matches, "shown": shown or "no passage holds these words"}

    def _asked_paths(self, kind: str, texts: list[Plain], *, folds_case: bool) -> list[str]:
        question = kind + json.dumps({"texts": texts, "folds_case": folds_case})
        (answer,) = cast("list[str | None]", ask_parent(question))
        return cast("list[str]", json.loads(answer or "[]"))

    def _texts_of(self, paths: list[str]) -> Iterator[tuple[str, str]]:
        """Yield path and text of files, asked for in batches and not kept."""
        wanted = list(dict.fromkeys(paths))
        while wanted:
            path = wanted[0]
            if path in self._tree.changes:
                yield path, self._tree.text(path) or ""
                del wanted[0]
                continue
            batch = wanted[:TEXTS_AT_ONCE]
            texts = cast("list[str | None]", ask_parent(*batch))
            yield from ((one, text or "") for one, text in zip(batch, texts, strict=False))
            del wanted[: max(len(texts), 1)]


def passages_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield each passage with its first line: paragraphs of a fitting length, cut where they are too long."""
    lines: list[str] = []
    chars, first = 0, 1
    for number, line in enumerate(text.split("\n"), start=1):
        if lines and (chars + len(line) > PASSAGE_CHARS or (not line.strip() and chars >= LEAST_CHARS)):
            yield first, "\n".join(lines).strip("\n")
            lines, chars, first = [], 0, number
        if lines or line.strip():
            lines.append(line[:PASSAGE_CHARS])
            chars += len(line) + 1
        else:
            first = number + 1
    if lines:
        yield first, "\n".join(lines).strip("\n")


class _Aided:
    """The runtime while this process is an aide."""

    runtime: FilesRuntime


def begin(paths: list[str], directories: list[str], changes: dict[str, str | None], data: dict[str, str]) -> None:
    """Make the world in a new aide; `sandbox.files.AidedFiles` calls it."""
    _Aided.runtime = FilesRuntime(paths, changes, data["writable"])


def call(operation: str, arguments: dict[str, Plain]) -> list[Plain]:
    """Make one call in an aide, and return its result and the changes that it made."""
    return [_Aided.runtime.call(operation, arguments), _Aided.runtime.changed]
