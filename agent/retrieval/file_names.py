"""Finds the names of files, and the other words to search for, in the text of a request.

`Close loan-12 for the late returns` names the file `/records/loans/loan_12.json` by its id;
`close`, `late` and `returns` are words to search for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import re2

from controlplane.agent.retrieval.rules_routing import PUNCTUATION_TO_BLANKS
from controlplane.sandbox.files.text_words import words_of

MAX_SEARCHED_CHARS: Final = 100_000
"""Only the beginning of a text, up to this many characters, is searched for names of files."""


class FileNames:
    """The listed files by the names that a text may use for them.

    Every file is found by its path, such as `/records/loans/loan_12.json`. A record is
    also found by its id, the file's name without the extension: `loan_12` or `loan-12`.
    """

    def __init__(self, paths: Iterable[str], record_folders: tuple[str, ...]) -> None:
        """Take the paths of all files. `record_folders` hold the records, and end with `/`."""
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
        paths: dict[str, None] = {}
        for token in text[:MAX_SEARCHED_CHARS].translate(PUNCTUATION_TO_BLANKS).split():
            name = _folded_name(token.strip(".-_/"))
            for path in self._paths_by_name.get(name, ()):
                paths[path] = None
        return list(paths)


def _folded_name(name: str) -> str:
    """Return a name as it is compared: `Loan_12` -> `loan-12`."""
    return name.casefold().replace("_", "-")


_ID: Final = re2.compile(r"\pL+[-_]\pN+")
"""Matches the start of an id, which has letters and a number: `loan-12`, `case_083`."""


def ids_in(text: str) -> list[str]:
    """Return the ids in a text: `close loan-12` -> `loan-12`."""
    return [word for word in words_of(text) if _ID.match(word)]


def request_words(text: str) -> list[str]:
    """Return the words of a request that say something about its subject.

    `Close /records/loans/late_returns.json` -> `close`, `loans`, `late`, `returns`

    `words_of` leaves out words such as `the`. A path's first folder, such as `/records`, is
    left out here: most files are in it.
    """
    words: list[str] = []
    for token in text.split():
        path = token.strip("`'\"()[]{}<>,;:!?.")
        if path.startswith("/"):
            words += _words_of_path(path)
        else:
            words.append(token)
    return words_of(" ".join(words))


def _words_of_path(path: str) -> list[str]:
    """Return the words in a path.

    `/records/loans/late_returns.json` -> `loans`, `late`, `returns`
    """
    _first_folder, _, rest = path.strip("/").partition("/")
    rest = rest.partition(".")[0]
    for separator in "/_-":
        rest = rest.replace(separator, " ")
    return [word for word in rest.split() if word.isalpha()]


def lines_pattern(terms: Iterable[str]) -> str:
    """Return a regular expression for lines that contain a word beginning with one of the terms.

    `loan`, `b7` -> `(?i)(?:^|[^0-9A-Za-z])(?:loan|b7)`
    """
    alternatives = "|".join(re2.escape(term) for term in terms)
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{alternatives})"
