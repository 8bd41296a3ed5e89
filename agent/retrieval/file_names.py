"""Finds the files that a text names, such as the text of a request.

`Close loan-12 for the late returns` names the file `/records/loans/loan_12.json` by its id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

# Finds the paths that a text names, such as a request, or the workspace's rules.
#
# "Cars may stand there (see `/docs/parking.md`)." names `/docs/parking.md`. Punctuation around a
# path does not belong to it.

_PUNCTUATION_TO_BLANKS: Final = str.maketrans(
    dict.fromkeys("`'\"()[]{}<>,;:!?*#|=+&%$@~^\\", " ")
)
"""Translates the punctuation around paths and names to blanks."""


def paths_in(text: str) -> list[str]:
    """Return the absolute paths that a text names, in order.

    "Loans: see /docs/loans.md. Fees: /docs/fees.md." -> `/docs/loans.md`, `/docs/fees.md`
    """
    paths: list[str] = []
    for token in text.translate(_PUNCTUATION_TO_BLANKS).split():
        if token.startswith("/") and token[1:2].isalnum():
            paths.append(token.rstrip("./-"))
    return paths


_MAX_SEARCHED_CHARS: Final = 100_000
"""Only the beginning of a text, up to this many characters, is searched for names of files."""


class FileNames:
    """The listed files by the names that a text may use for them.

    A text may name any file by its path, such as `/records/loans/loan_12.json`, and a record
    also by its id. This is the file's name without the extension: `loan_12` or `Loan-12`.
    """

    def __init__(self, paths: Iterable[str], record_folders: tuple[str, ...]) -> None:
        """`paths` are those of all files. `record_folders` are those of records: `/records/`."""
        self._paths_by_name: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            folded_path = _folded_name(path)
            self._paths_by_name[folded_path.strip("/")].append(path)
            if path.startswith(record_folders):
                file_name = folded_path.rpartition("/")[2]
                record_id = file_name.partition(".")[0]
                self._paths_by_name[record_id].append(path)

    def files_named_in(self, text: str) -> list[str]:
        """Return the paths of the files that a text names, each once, in the order of the text."""
        searched_text = text[:_MAX_SEARCHED_CHARS].translate(_PUNCTUATION_TO_BLANKS)
        paths: dict[str, None] = {}  # keeps the order, and each path once
        for token in searched_text.split():
            name = _folded_name(token.strip(".-_/"))
            for path in self._paths_by_name.get(name, ()):
                paths[path] = None
        return list(paths)


def _folded_name(name: str) -> str:
    """Return a name as it is compared: `Loan_12` -> `loan-12`."""
    return name.casefold().replace("_", "-")
