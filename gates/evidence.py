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
        # The whole string comes first. Else the part from the `#` on is the fragment.
        base, base_fragment = split_fragment(reference)
        for spelling, fragment in ((reference, ""), (base, base_fragment)):
            path = self._path_of(spelling) if self.has_trace else None
            if path is not None:
                access = self.accesses.get(path)
                # A document of several parts, such as a PDF with pages, is a folder that can be read.
                is_directory = access is None and path in self.folders
                return CitedReference(
                    path, fragment, access, is_directory, is_known=True
                )
        return CitedReference(
            canonical(base), base_fragment, None, is_directory=False, is_known=False
        )

    def _path_of(self, spelling: str) -> str | None:
        """Return the canonical path of a file or folder in any spelling; None if it is unknown.

        `docs/loans.md` means `/docs/Loans.md` if no other known path has the same letters.
        """
        absolute = canonical(spelling.strip())
        path = self.aliases.get(absolute, absolute)
        if path in self.accesses or path in self.folders:
            return path

        # The path was only listed, or it is spelled in another way: `/docs/loans.md`. Then it is
        # known if it can mean only one file.
        similar_paths = self.paths_by_spelling.get(spelling_key(path), ())
        if path in similar_paths:
            return path
        return similar_paths[0] if len(similar_paths) == 1 else None

    def nearest_note(self, reference: str) -> str:
        """Return a hint for a path that was not read; empty if none that was read is like it.

        " (nearest that was read: `/docs/a.md`)"
        """
        path = nearest(reference, self.accesses)
        return f" (nearest that was read: {quote(path)})" if path else ""

    @cached_property
    def records(self) -> Mapping[str, Values]:
        """The values of each record whose whole text was read or written, by path.

        A record has named values: JSON, a table, or lines such as `state: open`. Prose has none.
        `{"/loans/7.json": (("id", "7"), ("state", "late"))}`. The last such text at a path counts,
        because it is the current content.
        """
        records: dict[str, Values] = {}
        for path, access in self.accesses.items():
            if "execute" in access.actions:  # what a tool printed is not a record
                continue
            for seen in reversed(access.seen):
                values = parse(seen.text, path) if seen.shows_whole_file else ()
                if values:
                    records[path] = values
                    break
        return records

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of files that were read and contain prose, by path.

        `{"/docs/Loans.md": "A loan runs 21 days."}`. Texts that a script may have supplied itself
        are left out.
        """
        documents: dict[str, str] = {}
        for path, access in self.accesses.items():
            is_record = any(parse(seen.text, path) for seen in access.seen)
            if access.actions == {"read"} and not is_record:
                documents[path] = "\n".join(proof.text for proof in access.proofs)
        return documents

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
