"""The passages of files that fit words best, compared in the trial's aide."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from benchmarks.files.file_sources import LIKELIEST, WORD, words_of
from benchmarks.files.tables import TABLE, Table
from sandbox import FileTree, ask_parent
from sandbox.interface import CallError, Effect, Operation, Parameter, Plain, ResultField, error_codes

TEXTS_AT_ONCE: Final = 200
PASSAGE_CHARS: Final = 700
LEAST_CHARS: Final = 200
MOST_PASSAGES: Final = 6_000
MOST_SHOWN: Final = 40

FILL: Final = "fill_table"
"""The call that sends a part of a file to the table in the aide; scripts cannot make it."""
NOT_FILLED: Final = "the table is not loaded"

PASSAGES: Final = Operation(
    "passages",
    (Parameter("words", "str"), Parameter("limit", "int", 8)),
    (ResultField("matches", ("path", "line", "text")), ResultField("shown")),
    "the passages that fit some words best, in all files; .shown is them as text. Ask in the words of the files",
    Effect.LISTS,
    subject="root",
)


class FilesTools:
    """What a question asks of all files at once, in one trial's aide."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._table: Table | None = None

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages`, or of a query of a table that was filled before. Raises `CallError`."""
        if operation == FILL:
            return self._fill(**arguments)
        if operation == TABLE.name:
            return self._query(**arguments)
        return self.passages(**arguments)

    def _fill(self, path: str, text: str, *, is_first: bool, is_last: bool) -> dict[str, Plain]:
        """Add a part of a file to the table; the first part replaces the last file's."""
        if is_first:
            self._table = Table(path)
        if self._table is None or self._table.path != path:
            raise CallError(error_codes.FAILED_PRECONDITION, NOT_FILLED)
        self._table.add(text, is_last=is_last)
        return {"total": self._table.total}

    def _query(self, path: str, sql: str, limit: int, **parts: str) -> dict[str, Plain]:
        if self._table is None or self._table.path != path:
            raise CallError(error_codes.FAILED_PRECONDITION, NOT_FILLED)
        return self._table.query(sql, parts, limit)

    def passages(self, words: str, limit: int) -> dict[str, Plain]:
        """Return the passages that fit `words` best, by BM25, among those with at least one of the words."""
        stems = words_of(words) or [one.lower() for one in WORD.findall(words)][:12]
        if not stems:
            raise CallError(error_codes.INVALID_ARGUMENT, "passages(words) needs at least one word")
        (answer,) = cast("list[str | None]", ask_parent(LIKELIEST + json.dumps(stems)))
        likeliest: list[str] = json.loads(answer or "[]")
        table = sqlite3.connect(":memory:")
        try:
            table.execute("create virtual table passages using fts5(place, text, tokenize='porter unicode61')")
            rows, left = [], MOST_PASSAGES
            for path, text in self._texts_of([*self.tree.changes, *likeliest]):
                for line, passage in passages_in(text):
                    folded = passage.lower()
                    if left and any(stem in folded for stem in stems):
                        # The path counts too: files are named for what they hold.
                        rows.append((path.replace("/", " ").replace("_", " "), passage, path, line))
                        left -= 1
            table.executemany(
                "insert into passages(rowid, place, text) values (?, ?, ?)",
                [(number, place, text) for number, (place, text, _, _) in enumerate(rows)],
            )
            query = " OR ".join(f'"{word}"' for word in dict.fromkeys(WORD.findall(words.lower()))) or '""'
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

    def _texts_of(self, paths: list[str]) -> Iterator[tuple[str, str]]:
        """Yield path and text of files, asked for in batches and not kept."""
        wanted = list(dict.fromkeys(paths))
        while wanted:
            path = wanted[0]
            if path in self.tree.changes:
                yield path, self.tree.text(path) or ""
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


def open_tools(files: Mapping[str, str], directories: tuple[str, ...], data: Plain) -> FilesTools:
    """Return the tools over the files of a question, in an aide."""
    return FilesTools(FileTree(files))
