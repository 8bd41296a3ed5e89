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

from controlplane.gates.paths import canonical, nearest, spelling_key, split_fragment
from controlplane.gates.quoting import quote
from controlplane.gates.records import Values, parse
from controlplane.gates.trial import (
    Access,
    Change,
    FunctionResultValue,
    ScriptRun,
    undone_changes,
)

# Sorts the files that a trial accessed into records and prose.
#
# A record has named values: JSON, a table, or lines such as `state: open`. Prose has none. So
# `/loans/L-7.json` goes to `_records_in`, and `/docs/rules.md` to `_documents_in`.


def _records_in(accesses: Mapping[str, Access]) -> dict[str, Values]:
    """Return the values of each record whose whole text was read or written, by path."""
    records: dict[str, Values] = {}
    for path, access in accesses.items():
        values = _record_values(access)
        if values:
            records[path] = values
    return records


def _record_values(access: Access) -> Values:
    """Return the values of the last text that shows a file whole; `()` if it is not a record."""
    is_tool = "execute" in access.actions
    if is_tool:  # what it printed is not a record
        return ()
    for seen in reversed(access.seen):
        if not seen.shows_whole_file:
            continue
        values = parse(seen.text, access.path)
        if values:
            return values
    return ()


def _documents_in(accesses: Mapping[str, Access]) -> dict[str, str]:
    """Return the texts of files that were only read and contain prose, by path.

    Texts that a script may have supplied are left out.
    """
    documents: dict[str, str] = {}
    for path, access in accesses.items():
        was_only_read = access.actions == {"read"}
        is_record = any(parse(seen.text, path) for seen in access.seen)
        if was_only_read and not is_record:
            documents[path] = "\n".join(proof.text for proof in access.proofs)
    return documents


# Looks up to which file a cited path refers, however it is spelled.
#
# `docs/loans.md#row=7` refers to the file `/docs/Loans.md`, and has the fragment `#row=7`. If the
# environment accepts several spellings of a path, the one in its listings is canonical, or else
# the one that a read returned.


@dataclass(frozen=True, slots=True)
class CitedReference:
    """The file to which a cited string refers, as `Evidence.find` returns it.

    A canonical path is absolute, and spelled as the environment spells it.
    """

    path: str
    """The canonical path of a known file, else the cited path in canonical form."""
    fragment: str
    """The fragment as it is cited, with its `#`: `#row=7`. May be empty."""
    access: Access | None
    """What calls did at the path; None if no call accessed it."""
    is_directory: bool
    is_known: bool
    """True if a call accessed or listed the path."""

    @property
    def citation(self) -> str:
        """The string to cite: canonical path and fragment."""
        return self.path + self.fragment


@dataclass(frozen=True, slots=True)
class _TrialPaths:
    """The paths that a trial accessed or listed, found in any spelling.

    `docs/loans.md` refers to `/docs/Loans.md` if no other known path has the same letters.
    """

    accesses: Mapping[str, Access]
    """What calls did at each path: `{"/docs/Loans.md": Access(...)}`."""
    aliases: Mapping[str, str]
    """Other paths that calls used for the same files: `{"/latest.md": "/docs/Loans.md"}`."""
    paths_by_spelling: Mapping[str, tuple[str, ...]]
    """All paths that were accessed or listed, by `spelling_key`, which is in lower case:
    `{"/docs/loans.md": ("/docs/Loans.md",)}`."""
    folders: Set[str]
    """The paths that listings have shown as folders."""

    def find(self, reference: str) -> CitedReference:
        """Return the file to which a cited string refers: `docs/loans.md#row=7`.

        Looks up the whole string first, because a file's name may contain a `#`. If no
        file has this name, the part from the `#` on is the fragment.
        """
        path = self._path_of(reference)
        if path is not None:
            return self._known_file(path, "")
        base, fragment = split_fragment(reference)
        path = self._path_of(base)
        if path is not None:
            return self._known_file(path, fragment)
        return _unknown_reference(reference)

    def _path_of(self, spelling: str) -> str | None:
        """Return the canonical path of a file or folder in any spelling; None if it is unknown."""
        absolute = canonical(spelling.strip())
        path = self.aliases.get(absolute, absolute)
        if path in self.accesses or path in self.folders:
            return path

        # The path was only listed, or it is spelled in another way: `/docs/loans.md`. Then it is
        # known if it can mean only one file.
        similar_paths = self.paths_by_spelling.get(spelling_key(path), ())
        if path in similar_paths:
            return path
        if len(similar_paths) == 1:
            return similar_paths[0]
        return None

    def _known_file(self, path: str, fragment: str) -> CitedReference:
        """Return the reference to a known file or folder."""
        access = self.accesses.get(path)
        # A document of several parts, such as a PDF with pages, is a folder that can be read.
        is_directory = access is None and path in self.folders
        return CitedReference(
            path, fragment, access, is_directory=is_directory, is_known=True
        )


def _unknown_reference(reference: str) -> CitedReference:
    """Return the reference to a file that no call accessed or listed. Its path is as cited."""
    base, fragment = split_fragment(reference)
    return CitedReference(
        canonical(base), fragment, None, is_directory=False, is_known=False
    )


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

    def find(self, reference: str) -> CitedReference:
        """Return the file to which a cited string refers, in any spelling, with its `access`.

        `docs/loans.md#fees` refers to `/docs/Loans.md`, with the fragment `#fees`. If a file has a
        `#` in its name, the whole string is its name. Without a trace, the file is unknown.
        """
        if not self.has_trace:
            return _unknown_reference(reference)
        known_paths = _TrialPaths(
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
        return _records_in(self.accesses)

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of files that were read and contain prose, by path.

        `{"/docs/Loans.md": "A loan runs 21 days."}`. Texts that a script may have supplied itself
        are left out.
        """
        return _documents_in(self.accesses)

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
