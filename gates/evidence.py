"""What a trial has read and done, as the gates see it: the read-only `Evidence`.

A trial is one attempt at a task. Its runner records each call of the environment, and
makes an `Evidence` of them: for each path an `Access` with the texts that were seen
there, the changes, and the scripts. `Evidence.find` looks up what a cited path refers
to, in any spelling.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from controlplane.gates.paths import nearest
from controlplane.gates.quoting import quote
from controlplane.gates.records import Values
from controlplane.gates.trial.accessed_texts import documents_in, records_in
from controlplane.gates.trial.accesses import Access
from controlplane.gates.trial.changes import Change, undone_changes
from controlplane.gates.trial.references import KnownPaths, Reference, unknown_reference
from controlplane.gates.trial.script_runs import FunctionResultValue, ScriptRun


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a trial has read and done, as far as the gates may know it.

    The gates are rules for answers. They compare, for example, the numbers of an answer with the
    texts in `accesses`. `Evidence()` is for a submission with unknown calls, such as a recorded
    answer.
    """

    has_trace: bool = False
    """True if the trial's calls are known. If not, all other fields are empty."""

    # Which files a citation may mean
    accesses: Mapping[str, Access] = field(default_factory=dict)
    """What calls did at each path, by the canonical path: `/docs/Loans.md`."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other paths that calls used for the same files: `{"/latest.md": "/docs/Loans.md"}`."""
    paths_by_spelling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """All canonical paths that are known, also from listings, by the path in lower case:
    `{"/docs/loans.md": ("/docs/Loans.md",)}`. See `spelling_key`."""
    folders: Set[str] = frozenset()
    """The paths that listings have shown as folders."""
    quotations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The quotations that scripts gave with citations and that occur in the cited file, by its
    path: `{"/docs/Loans.md": ("A loan runs 21 days.",)}`."""

    # What the calls did
    changes: tuple[Change, ...] = ()
    """What calls have written, deleted or executed, in order."""
    unclear_tools: tuple[str, ...] = ()
    """The tools that ran, if it is unknown whether they changed something: `/bin/odd`."""
    has_failures: bool = False
    """True if a call failed because of the environment rather than the request."""

    # How the answer's values may have been computed
    function_results: tuple[FunctionResultValue, ...] = ()
    """What functions of the benchmark have returned."""
    script_runs: tuple[ScriptRun, ...] = ()
    """The trial's last scripts, with what each printed and stored."""

    def find(self, reference: str) -> Reference:
        """Return the file to which a cited string refers, in any spelling, with its `access`.

        `docs/loans.md#fees` refers to `/docs/Loans.md`, with the fragment `#fees`. If a file has a
        `#` in its name, the whole string is its name. Without a trace, the file is unknown.
        """
        if not self.has_trace:
            return unknown_reference(reference)
        known_paths = KnownPaths(
            self.accesses, self.aliases, self.paths_by_spelling, self.folders
        )
        return known_paths.find(reference)

    def nearest_note(self, reference: str) -> str:
        """Return a hint for a path that was not read; empty if none that was read is like it.

        " (nearest that was read: `/docs/a.md`)"
        """
        path = nearest(reference, self.accesses)
        return f" (nearest that was read: {quote(path)})" if path else ""

    @cached_property
    def records(self) -> Mapping[str, Values]:
        """The values of each record whose whole text was read or written, by path.

        `{"/loans/7.json": (("id", "7"), ("state", "late"))}`. The last such text at a path counts,
        because it is the current content.
        """
        return records_in(self.accesses)

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of files that were read and contain prose, by path.

        `{"/docs/Loans.md": "A loan runs 21 days."}`. Texts that a script may have supplied itself
        are left out.
        """
        return documents_in(self.accesses)

    @cached_property
    def present_changes(self) -> tuple[Change, ...]:
        """The changes that still hold at the end of the trial."""
        return tuple(change for change in self.changes if not self.is_undone(change))

    def is_undone(self, change: Change) -> bool:
        """Return True if later changes undid this one: the file is as it was at first."""
        return change in self._undone_changes

    @cached_property
    def _undone_changes(self) -> frozenset[Change]:
        """The changes that later changes undid."""
        return undone_changes(self.changes, self.accesses)
