"""Samples of records: the first and the last of each group.

They show what a shop calls the fields of its records, so that not all of thousands have to be
read. The two ends of a list are the likeliest to differ, for example in their states: an old
basket is bought, and a new one still open.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.records.record_groups import RecordGroup
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)


@dataclass(frozen=True, slots=True)
class SampledGroup:
    """A group of records, with its first and last record, as far as they could be read."""

    group: RecordGroup
    samples: tuple[Record, ...]

    def joined(self, other: SampledGroup) -> SampledGroup:
        """Return the two groups as one, with the samples of both."""
        return SampledGroup(
            RecordGroup((*self.group.paths, *other.group.paths)),
            (*self.samples, *other.samples),
        )


def sampled_groups(records: WorkspaceRecords) -> list[SampledGroup]:
    """Return all groups of records, each with its samples."""
    groups = records.files.groups
    # All samples are read at once, because one round of calls is faster than many. `records` keeps
    # what was read, so the reads below make no calls.
    records.read(path for group in groups for path in group.ends)
    return [SampledGroup(group, tuple(records.read(group.ends))) for group in groups]
