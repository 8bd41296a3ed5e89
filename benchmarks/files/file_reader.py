"""The call `read`: the text of one file, or a part of it.

`harness.read("/notes.md", start_line=5)` returns the text from line 5 on. A document such as a
PDF, which was split into its pages, can be read by page or as a whole.
"""

from __future__ import annotations

from controlplane.benchmarks.files.reading_notes import notes_of
from controlplane.benchmarks.files.source_overview import too_large
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.text_parts import text_part
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import sha256_of
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes


class FileReader:
    """Reads the files of a question, with the changes that scripts have made of them.

    The tree has the files as scripts see them, with these changes. A document, such as a
    PDF, was split into parts, which are files of their own: `/report.pdf/page-1`. It can be
    read as a whole, too: the sources know its parts, which nobody can change.
    """

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
        _check_range(start_line, end_line, start_char)
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
            "notes": list[Plain](notes_of(resolved, self._sources, self._tree)),
            "sha256": sha256_of(text),
        }

    def _whole_text(self, path: str) -> tuple[str, str]:
        """Return the path of a file or document, as the tree spells it, and its text."""
        document = normal_path(path)
        parts = self._sources.parts.get(document)
        if parts is None:
            file = self._tree.read(path)
            return str(file["path"]), str(file["content"])
        texts = []
        for part in parts:
            name = part.removeprefix(f"{document}/")
            texts.append(f"[{name}]\n{self._sources[part]}")
        return document, "\n\n".join(texts)

    def _refuse_large(self, path: str, text: str) -> None:
        """Raise `CallError` for a file that is too large to be read as a whole.

        `sources.large` has the files above the user's limit, which can be read in parts.
        """
        if path in self._sources.large and len(text) > bounds.MOST_READ_CHARS:
            raise CallError(error_codes.RESOURCE_EXHAUSTED, too_large(path, text))


def _check_range(start_line: int, end_line: int, start_char: int) -> None:
    """Raise `CallError` for a negative number, or if the end is before the start."""
    is_reversed = 0 < end_line < start_line
    if is_reversed or min(start_line, end_line, start_char) < 0:
        msg = (
            f"lines {start_line} to {end_line}, from character {start_char}, are no range "
            "(they count from 1)"
        )
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
