"""The records of a workspace: their kinds, and the files that they name.

A record is a file about one case, such as `/records/loans/l-12.json`. Its kind is the
folder `/records/loans`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.retrieval.file_names import FileNames
from controlplane.agent.retrieval.request_terms import MAX_SEARCH_TERMS
from controlplane.sandbox.interface import NamedFiles

MAX_LINKS: Final = 8
"""The files that a record names are read, unless it names more than this: then it is a list."""


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """The records of a workspace, as the environment declares them."""

    declared: NamedFiles
    paths: list[str]
    names: FileNames
    """Finds the files that a text names."""

    @classmethod
    def of(cls, declared: NamedFiles, files: Sequence[str]) -> KnownRecords:
        """Return the records among the listed files."""
        folders = tuple(_with_slash(root) for root in declared.roots)
        paths = [path for path in files if path.startswith(folders)]
        return cls(declared, paths, FileNames(files, folders))

    def kind_of(self, record: str) -> str:
        """Return the folder with all records of the same kind; empty for other files.

        `/data/places/Delft/s-1.json` -> `/data/places`, if `/data` holds records
        `/letters/l-1.txt` -> `/letters`, if `/letters` holds records
        """
        for root in self.declared.roots:
            folder = _with_slash(root)
            if record.startswith(folder):
                subfolder, slash, _ = record.removeprefix(folder).partition("/")
                return folder + subfolder if slash else root.rstrip("/")
        return ""

    def folders(self) -> list[str]:
        """Return the folders of records, one for each kind, the fullest first."""
        counts = Counter(self.kind_of(record) for record in self.paths)
        # Documents are searched for these folders' paths, so there may not be more of them.
        return [folder for folder, _ in counts.most_common(MAX_SEARCH_TERMS)]

    def links_in(self, texts: Iterable[str]) -> list[str]:
        """Return the files whose paths or ids are in the texts of some records.

        `{"book": "b7"}` -> `/records/books/b7.json`

        JSON is passed over if the environment has functions for the model that look such
        links up. It then declares `follows_records` as False.
        """
        functions_follow_links = not self.declared.follows_records
        files: list[str] = []
        for text in texts:
            is_json = text.startswith(("{", "["))
            if is_json and functions_follow_links:
                continue
            links = self.names.files_named_in(text)
            if len(links) <= MAX_LINKS:
                files += links
        return files


def _with_slash(folder: str) -> str:
    """Return a folder with a slash at its end: `/records` -> `/records/`."""
    return folder.rstrip("/") + "/"
