"""Finds out which records of a workspace are baskets, payments, people and so on.

A shop may keep its baskets in `/proc/carts` or in `/proc/x7`. The shapes of values in a few
sampled records of a folder show what its records are (`kind_of_record`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.benchmarks.shop.workspace.fields.record_kind import kind_of_record
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.records.record_groups import RecordGroup
from controlplane.benchmarks.shop.workspace.records.record_samples import (
    SampledGroup,
    sampled_groups,
)
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)
from controlplane.gates.paths import record_id


class KnownKinds:
    """The records of each kind that a workspace has."""

    def __init__(self, groups: Mapping[Kind, SampledGroup], root: str) -> None:
        self._groups = groups
        """The paths of the records of each kind, with a few records that were read."""
        self._root = root
        """The folder of all records, for messages."""

    def known_group(self, kind: Kind) -> RecordGroup | None:
        """Return the records of a kind; None if the workspace has none."""
        sampled = self._groups.get(kind)
        return sampled.group if sampled is not None else None

    def group(self, kind: Kind) -> RecordGroup:
        """Return the records of a kind. Raises `CannotRead` if the workspace has none."""
        return self._sampled(kind).group

    def samples(self, kind: Kind) -> list[Data]:
        """Return the data of a few records of a kind.

        Raises `CannotRead` if the workspace has none.
        """
        return [sample.data for sample in self._sampled(kind).samples]

    def _sampled(self, kind: Kind) -> SampledGroup:
        refusal = f"no records of the kind {kind} are to be seen below {self._root}"
        return value_or_raise(self._groups.get(kind), refusal)

    def of(self, path: str) -> Kind | None:
        """Return the kind of the record at a path; None for any other path."""
        for kind, sampled in self._groups.items():
            if path in sampled.group.paths:
                return kind
        return None


def known_kinds(records: WorkspaceRecords) -> KnownKinds:
    """Return the kinds of a workspace's records.

    A group, such as the files of a folder, has a kind if its first and last record show this
    kind and no other. Groups of the same kind are joined.
    """
    groups: dict[Kind, SampledGroup] = {}
    for sampled in sampled_groups(records):
        kind = _common_kind(sampled.samples)
        if kind is None:
            continue
        if kind in groups:
            groups[kind] = groups[kind].joined(sampled)
        else:
            groups[kind] = sampled
    return KnownKinds(groups, records.files.root)


def _common_kind(samples: Sequence[Record]) -> Kind | None:
    """Return the kind that some records show; None if they show none, or several.

    A record whose kind cannot be told is ignored.
    """
    kinds = set()
    for sample in samples:
        kind = kind_of_record(sample.data, record_id(sample.path))
        if kind is not None:
            kinds.add(kind)
    return kinds.pop() if len(kinds) == 1 else None
