"""Collects what functions found in a trial, and applies it to the answer that a model completed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

KindOf = Callable[[str], str]
"""Names the kind of a record by its path; empty for an unknown one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What one call of a function found."""

    bucket: str
    refs: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer before its references are put in order."""

    task_type: str
    message: str
    documents: tuple[str, ...] = ()
    records: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BucketRule:
    """What the entries of one bucket change in a completion."""

    bucket: str
    task_types: frozenset[str] = frozenset()
    """Only for these; empty for all."""
    replaces: frozenset[str] = frozenset()
    """Kinds of records that give way to those of the bucket, if it holds one of the kind."""
    gives_message: Callable[[str], bool] = field(default=lambda _: False)
    """Whether the bucket's message takes the place of the completion's, by the request."""
    clears_documents: bool = False
    are_documents: bool = False
    """Whether its references are documents."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """All entries of one name: references add up, the last message stands."""

    refs: tuple[str, ...]
    message: str


class Ledger:
    """The findings of one trial. Empty ones change nothing."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._buckets: dict[str, Bucket] = {}
        for each in entries:
            self.add(each)

    def add(self, entry: Entry) -> None:
        """Add what a function found."""
        old = self._buckets.get(entry.bucket, Bucket((), ""))
        refs = tuple(dict.fromkeys(old.refs + entry.refs))
        self._buckets[entry.bucket] = Bucket(refs, entry.message or old.message)

    def bucket(self, name: str) -> Bucket:
        """Return what is known under a name."""
        return self._buckets.get(name, Bucket((), ""))

    def apply(self, completion: Completion, rules: Sequence[BucketRule], text: str, kind_of: KindOf) -> Completion:
        """Return a completion with the findings that fit it, in the order of the rules. `text` is the request."""
        for rule in rules:
            found = self.bucket(rule.bucket)
            if (found.refs or found.message) and (not rule.task_types or completion.task_type in rule.task_types):
                completion = _applied(completion, rule, found, text, kind_of)
        return completion


def _applied(completion: Completion, rule: BucketRule, found: Bucket, text: str, kind_of: KindOf) -> Completion:
    if found.message and rule.gives_message(text):
        completion = replace(completion, message=found.message)
    if rule.clears_documents:
        completion = replace(completion, documents=())
    if rule.are_documents:
        return replace(completion, documents=tuple(dict.fromkeys(completion.documents + found.refs)))
    computed = rule.replaces & {kind_of(path) for path in found.refs}
    kept = tuple(path for path in completion.records if kind_of(path) not in computed)
    return replace(completion, records=tuple(dict.fromkeys(kept + found.refs)))
