"""The calls that read files: `read`, for one file, and `read_many`."""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.files.source_overview import too_large
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.text_parts import json_size, text_part
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import sha256_of
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

ENTRY_BYTES: Final = 36
"""Bytes of a file in a `read_many` result besides its path and text: keys, line and JSON syntax."""


class FileReader:
    """Reads the files of a question, with the changes that scripts have made of them."""

    def __init__(self, sources: SourceFiles, tree: FileTree) -> None:
        self._sources = sources
        self._tree = tree

    def read(
        self, path: str, start_line: int, end_line: int, start_char: int
    ) -> dict[str, Plain]:
        """Return the text of a file, or a part of it.

        Lines and characters count from 1; 0 means no limit. In the result, `line` is the
        first returned line. If the text does not fit in one result, `next_char` is the
        `start_char` for the next call, else 0.
        """
        if min(start_line, end_line, start_char) < 0 or 0 < end_line < start_line:
            msg = (
                f"lines {start_line} to {end_line}, from character {start_char}, are no range "
                "(they count from 1)"
            )
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        resolved, text = self._whole_text(path)
        wants_all = start_line == end_line == start_char == 0
        if wants_all:
            self._refuse_large(resolved, text)
        part = text_part(text, start_line, end_line, start_char)
        return {
            "path": resolved,
            "content": part.text,
            "truncated": part.next_char > 0,
            "next_char": part.next_char,
            "line": part.first_line,
            "notes": list[Plain](self.notes_of(resolved)),
            "sha256": sha256_of(text),
        }

    def read_many(self, files: str, root: str, start: int) -> dict[str, Plain]:
        """Return the texts of files below `root`: as many as fit in one result.

        `files` is a glob, such as `*.md`. `start` is the index of the first file to
        return: 0, or `next` of the call before. In the result, `cut` has the paths of
        files that are too long for one call, of which only the first part is returned.
        """
        paths = self._tree.paths(root, files)
        start = max(start, 0)
        entries: list[Plain] = []
        cut: list[Plain] = []
        remaining_bytes = bounds.MOST_RESULT_BYTES
        for path in paths[start:]:
            text = self._tree.text(path) or ""
            first_part = text_part(text, start_line=0, end_line=0, start_char=0)
            remaining_bytes -= json_size([path, first_part.text]) + ENTRY_BYTES
            # Return at least one file, so that each call makes progress.
            if remaining_bytes < 0 and entries:
                break
            entries.append({"path": path, "line": 1, "text": first_part.text})
            if first_part.next_char:
                cut.append(path)

        end = start + len(entries)
        has_more = end < len(paths)
        return {
            "files": entries,
            "total": len(paths),
            "next": end if has_more else 0,
            "cut": cut,
            "truncated": has_more or bool(cut),
        }

    def notes_of(self, path: str) -> list[str]:
        """Return facts that a file's text does not show, such as merged cells or its encoding."""
        sources = self._sources
        notes: list[str] = []
        for part in sources.parts.get(path, [path]):
            notes += sources.notes.get(part, ())
        if path not in self._tree.changes and path in sources.encodings:
            notes.append(f"read as {sources.encodings[path]}")
        return notes

    def _whole_text(self, path: str) -> tuple[str, str]:
        """Return the path of a file or document, as the tree spells it, and its text."""
        document = normal_path(path)
        parts = self._sources.parts.get(document)
        if parts is not None:
            return document, self._joined(document, parts)
        file = self._tree.read(path)
        return str(file["path"]), str(file["content"])

    def _joined(self, document: str, parts: list[str]) -> str:
        """Return the text of a document, such as a PDF: its parts, each under its name.

        The parts are files of their own, such as `/report.pdf/page-1`.
        """
        texts = []
        for part in parts:
            name = part.removeprefix(f"{document}/")
            texts.append(f"[{name}]\n{self._sources[part]}")
        return "\n\n".join(texts)

    def _refuse_large(self, path: str, text: str) -> None:
        """Raise `CallError` for a file that is too large to be read as a whole.

        `sources.large` has the files above the user's limit, which can be read in parts.
        """
        if path in self._sources.large and len(text) > bounds.MOST_READ_CHARS:
            raise CallError(error_codes.RESOURCE_EXHAUSTED, too_large(path, text))
