"""What a trial has read and done, as the gates see it: the read-only `Evidence`.

A trial is one attempt at a task. Its runner records each call of the environment, and
makes an `Evidence` of them: for each path an `Access` with the texts that were seen
there, the changes, and the scripts. `Evidence.find` looks up what a cited path refers
to, in any spelling.

If the environment accepts several spellings of a path, the one in its listings is
canonical, or else the one that a read returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from controlplane.gates.paths import canonical, nearest, spelling_key, split_fragment
from controlplane.gates.records import Values, parse
from controlplane.gates.submission import quote
from controlplane.gates.text_folding import index_of

Action: TypeAlias = Literal["read", "write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class SeenText:
    """One text that the trial saw at a path, and how far it can support an answer."""

    text: str
    is_whole: bool = True
    """False if the record of a long text lacks its end. A missing word may then be in that end."""
    is_proof: bool = True
    """True if the text is the environment's own. Only such a text proves a value.

    False if the trial's script wrote the text, or gave text to the tool that printed it.
    """
    tainted: str = ""
    """The words of the call, such as `lent` in `search("lent")`. The text may only repeat them."""
    is_excerpt: bool = False
    """True if the call asked for only a part of the file, such as the lines 40 to 60."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """Which lines of the file the text shows. Only the first line numbers are listed.

    Each further line has the next number.

    - `(1,)`: a whole file, with the lines 1, 2, 3 and so on
    - `(40,)`: a part from line 40 on
    - `(1, 7, 9)`: the heading of a table, and the rows in lines 7, 9, 10 and so on
    - `()`: unknown, as for the result of a query
    """

    @property
    def shows_whole_file(self) -> bool:
        """True if the text is the whole file, neither cut off nor read in part."""
        return self.is_whole and not self.is_excerpt

    def holds(self, token: str) -> bool:
        """Return True if the text has a token, in any form: `fa-19` in `FA 19`.

        A token that the script passed to the call does not count, because the text may
        only repeat it: not `report` after a search for `report`, but `reports`.
        """
        if not index_of(self.text).holds(token):
            return False
        is_repeated = self.tainted != "" and index_of(self.tainted).repeats(token)
        return not is_repeated


@dataclass(frozen=True, slots=True)
class Access:
    """What the trial's calls did at one path, and the texts that they saw there."""

    path: str
    actions: frozenset[Action]
    seen: tuple[SeenText, ...] = ()
    """The different texts seen here, in the order in which each was first seen.

    One that the script itself wrote is not proof: its `is_proof` is False.
    """

    @property
    def is_found(self) -> bool:
        """True if a call read or executed the file. Writing or deleting it is not enough."""
        return "read" in self.actions or "execute" in self.actions

    @property
    def given_texts(self) -> tuple[SeenText, ...]:
        """The texts that the environment gave, without those that the script wrote into the file."""
        if "write" in self.actions:
            return tuple(seen for seen in self.seen if seen.is_proof)
        # Nothing was written here. A text that is no proof is what a tool printed about a
        # text of the script, and the tool may have added words of its own.
        return self.seen

    @property
    def had_text_before_writing(self) -> bool:
        """True if the file existed before the script wrote it.

        Then the first text that was seen here is not the script's own.
        """
        return bool(self.seen) and self.seen[0].is_proof

    @property
    def has_first_text_again(self) -> bool:
        """True if the last text written to the file equals the first text read from it.

        Records are equal if they have the same values, whatever their layout.
        """
        if not self.had_text_before_writing:
            return False
        first = self.seen[0]
        if not first.shows_whole_file:
            return False
        last = self._last_written_text
        if last is None:
            return False
        is_same_text = first.text.strip() == last.text.strip()
        return is_same_text or self._have_same_values(first, last)

    @property
    def _last_written_text(self) -> SeenText | None:
        """The last whole text that the script wrote into the file; None if there is none."""
        for seen in reversed(self.seen):
            if seen.shows_whole_file and not seen.is_proof:
                return seen
        return None

    def _have_same_values(self, first: SeenText, second: SeenText) -> bool:
        """Return True for two records with the same values. Prose has no values."""
        values = parse(first.text.strip(), self.path)
        has_values = values != ()
        return has_values and values == parse(second.text.strip(), self.path)

    def holds(self, token: str) -> bool:
        """Return True if a word, number or id occurs in one of `given_texts`."""
        return any(seen.holds(token) for seen in self.given_texts)

    def proves(self, token: str) -> bool:
        """Return True if a token occurs in a text that is proof."""
        return any(seen.is_proof and seen.holds(token) for seen in self.seen)


@dataclass(frozen=True, slots=True)
class Change:
    """One change to the world that the trace shows."""

    path: str
    """The changed file `/a.md`, the tool that ran `/bin/restart`, or the operation `mail.send`."""
    action: Literal["write", "delete", "execute"]
    result_path: str = ""
    """The path at which the result of an operation can be cited, such as `/calls/send/2c1f`."""
    is_optional: bool = False
    """True if it is unknown whether a tool changed anything. `changes` may then leave it out."""


@dataclass(frozen=True, slots=True)
class FunctionResultValue:
    """A value that a function of the benchmark returned in this trial."""

    function: str
    value: str
    """The value as JSON text, cut if it is long."""
    arguments: str = "{}"
    """The function's arguments as JSON text; `{}` if they are long."""


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """A script that ran in this trial."""

    code: str
    printed: str = ""
    stored: Mapping[str, object] = field(default_factory=dict)
    """The scratchpad after the script ended; empty if it is unknown."""


@dataclass(frozen=True, slots=True)
class Reference:
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
    """Everything that the gates may know about a trial's calls.

    `Evidence()` is for a submission with unknown calls, such as a recorded answer.
    """

    has_trace: bool = False
    """True if the trial's calls are known."""
    accesses: Mapping[str, Access] = field(default_factory=dict)
    """By canonical path."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Canonical paths by other spellings that calls used for them."""
    paths_by_spelling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The canonical paths that were accessed or listed, by `spelling_key`: in lower case."""
    directories: Set[str] = frozenset()
    changes: tuple[Change, ...] = ()
    unclear_runs: tuple[str, ...] = ()
    """The tools that ran successfully, and of which it is unknown if they changed something."""
    has_failures: bool = False
    """True if a call failed because of the environment rather than the request."""
    function_results: tuple[FunctionResultValue, ...] = ()
    steps: tuple[ScriptRun, ...] = ()
    """The trial's last scripts."""
    quoted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the path of a cited file, the quotations from it that occur in what was read."""

    def find(self, reference: str) -> Reference:
        """Return the file to which a cited string refers.

        Looks up the whole string first, because a file's name may contain a `#`. If no
        file has this name, the part from the `#` on is the fragment.
        """
        base, fragment = split_fragment(reference)
        if self.has_trace:
            path = self._known_path(reference)
            if path is not None:
                return self._known_file(path, "")
            path = self._known_path(base)
            if path is not None:
                return self._known_file(path, fragment)
        return Reference(
            canonical(base), fragment, None, is_directory=False, is_known=False
        )

    def _known_path(self, spelling: str) -> str | None:
        """Return the canonical path of a file or folder in any spelling; None if it is unknown."""
        # 1. The path itself, or another name by which a call reached it.
        absolute = canonical(spelling.strip())
        path = self.aliases.get(absolute, absolute)
        if path in self.accesses or path in self.directories:
            return path

        # 2. A path that was listed, or the only one that differs from it just in spelling.
        similar = self.paths_by_spelling.get(spelling_key(path), ())
        if path in similar:
            return path
        if len(similar) == 1:
            return similar[0]
        return None

    def _known_file(self, path: str, fragment: str) -> Reference:
        """Return the reference to a known file or folder."""
        access = self.accesses.get(path)
        # A document of several parts, such as a PDF with pages, is a folder that can be read.
        is_directory = access is None and path in self.directories
        return Reference(
            path, fragment, access, is_directory=is_directory, is_known=True
        )

    def nearest_note(self, reference: str) -> str:
        """Return a hint for a path that was not read: " (nearest that was read: `/docs/a.md`)".

        Empty if no path that was read is like it.
        """
        path = nearest(reference, self.accesses)
        return f" (nearest that was read: {quote(path)})" if path else ""

    @cached_property
    def records(self) -> Mapping[str, Values]:
        """The values of each record whose whole text was read or written, by path.

        The last such text at a path counts, because it is the current content.
        """
        records: dict[str, Values] = {}
        for path, access in self.accesses.items():
            if "execute" in access.actions:
                continue
            for seen in access.seen:
                values = parse(seen.text, path) if seen.shows_whole_file else ()
                if values:  # prose has none
                    records[path] = values
        return records

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of files that were read and contain prose, by path.

        `is_proof` leaves out texts that a script may have supplied.
        """
        documents: dict[str, str] = {}
        for path, access in self.accesses.items():
            was_only_read = access.actions == {"read"}
            is_record = any(parse(seen.text, path) for seen in access.seen)
            if was_only_read and not is_record:
                texts = [seen.text for seen in access.seen if seen.is_proof]
                documents[path] = "\n".join(texts)
        return documents

    @cached_property
    def present_changes(self) -> tuple[Change, ...]:
        """The changes that still hold at the end of the trial."""
        return tuple(change for change in self.changes if not self.is_undone(change))

    def is_undone(self, change: Change) -> bool:
        """Return True if a change was undone by a later one.

        - A file that did not exist was created and later deleted.
        - A file was read whole and changed, and then the text that was read first was
          written again. If it was not read whole, this text is unknown, and the change
          counts as not undone.
        """
        access = self.accesses.get(change.path)
        if change.action == "execute" or access is None:
            return False
        actions = self._actions_at[change.path]
        if actions[-1] == "delete":
            # Undone if the trial created the file: it wrote it first, and saw no older text.
            return actions[0] == "write" and not access.had_text_before_writing
        return access.has_first_text_again

    @cached_property
    def _actions_at(self) -> Mapping[str, list[Action]]:
        """The actions of all changes in order, by path."""
        actions: dict[str, list[Action]] = {}
        for change in self.changes:
            actions.setdefault(change.path, []).append(change.action)
        return actions
