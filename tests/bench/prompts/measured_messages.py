"""The first message of a trial as it is measured: which files it shows, and which the task needs.

Needed are the files that the right solution cites, the page that governs the task, and notices that
override one of these pages. *Recall* is the share of the needed files that is shown, counted for
documents (pages, notices and rules) and for records.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class MeasuredMessage:
    """The first message of a trial, and what it should show. Files are given by their paths."""

    task_id: str
    profile: str
    """The kind of the generated shop: "prod", "dev" or "hard"."""
    platform: str
    """Where the shop is, "embedded" or "remote"."""
    chars: int
    """Characters of the whole message."""
    shown: frozenset[str]
    """All shown files."""
    chosen_chars: Mapping[str, int]
    """The characters of each shown file, without the rules, which every message shows."""
    needed: frozenset[str]
    """The files that the task needs."""
    citable: frozenset[str]
    """Further files that the answer may cite."""
    foreign: tuple[str, ...]
    """Records of another customer that are shown to a customer or guest."""

    @property
    def family(self) -> str:
        return family_of(self.task_id)

    @property
    def missing(self) -> list[str]:
        """The needed files that are not shown."""
        return sorted(self.needed - self.shown)

    @property
    def document_recall(self) -> float:
        """The share of the needed documents that is shown."""
        documents = [path for path in self.needed if is_document(path)]
        return self._shown_share(documents)

    @property
    def record_recall(self) -> float:
        """The share of the needed records that is shown."""
        records = [path for path in self.needed if not is_document(path)]
        return self._shown_share(records)

    def _shown_share(self, paths: list[str]) -> float:
        """Return the share of some files that is shown; 1 if there are none."""
        if not paths:
            return 1.0
        return len(self.shown.intersection(paths)) / len(paths)

    def chosen_chars_of(self, paths: frozenset[str]) -> int:
        """Return how many characters of these files are shown."""
        return sum(chars for path, chars in self.chosen_chars.items() if path in paths)


def is_document(path: str) -> bool:
    """Return whether a file is a page, a notice or the rules, not a record or an uploaded file.

    `/docs/returns.md` and `/AGENTS.MD` are documents, `/proc/baskets/basket_4.json` is a record.
    """
    is_at_top = path.count("/") == 1
    return path.startswith("/docs/") or is_at_top


def family_of(task_id: str) -> str:
    """Return `basket-checkout` for `basket-checkout.1`."""
    return task_id.rpartition(".")[0]
