"""What a trial has read and done, as a read-only view. The trial's runner fills it; the gates only read it.

Every path stands under its canonical spelling: the one that listings show, or else the one that a read returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeAlias

from gates.types.canonical_paths import canonical, nearest, spelling_key, split_fragment
from gates.types.plain_data import quote
from gates.types.term_index import index_of
from gates.types.terms import distinctive_words, has_distinctive_word

Action: TypeAlias = Literal["read", "write", "delete", "execute"]

MAX_INDEXED_CHARS = 1_000_000
"""How many characters of one text are kept and indexed."""
_SAMPLES = 4


@dataclass(frozen=True)
class SeenText:
    """One text that the trial saw at a path, indexed when a gate or a rule first asks for its terms."""

    text: str
    is_whole: bool = True
    """False if the text was too long to keep to its end; a missing term then proves nothing."""
    is_proof: bool = True
    """False if the script may have had it printed, or wrote it: it can convict an answer, and bears none out."""
    echoed: str = ""
    """Words of the call itself that the text may hold; they are none of its terms."""
    is_excerpt: bool = False
    """The call asked for a part of what is there."""

    def holds_any(self, terms: Set[str]) -> bool:
        """Say whether any of `terms` occurs in the text, other than as an echo of the call."""
        index = index_of(self.text)
        if not self.echoed:
            return index.holds_any(frozenset(terms))
        return any(not index_of(self.echoed).holds(each) for each in filter(index.holds, terms))

    def held_words(self, words: frozenset[str]) -> frozenset[str]:
        """Return which of some folded words occur in the text, other than as an echo of the call."""
        held = index_of(self.text).held_words(words)
        return held - index_of(self.echoed).held_words(held)

    @cached_property
    def has_samples(self) -> bool:
        """Whether any word of it is distinctive."""
        return has_distinctive_word(self.text)

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """A few distinctive words of it, for messages."""
        return distinctive_words(self.text, _SAMPLES)


def seen_text(
    text: str,
    most_chars: int = MAX_INDEXED_CHARS,
    *,
    is_proof: bool = True,
    is_excerpt: bool = False,
    echoed: str = "",
) -> SeenText:
    """Return `text` as seen, cut to `most_chars`."""
    head = text[:most_chars]
    return SeenText(head, len(head) == len(text), is_proof, echoed, is_excerpt)


@dataclass(frozen=True, slots=True)
class Touch:
    """What happened at one path."""

    path: str
    actions: frozenset[Action]
    seen: tuple[SeenText, ...] = ()

    def contains_any(self, terms: Set[str]) -> bool:
        """Say whether any of `terms` occurs in the texts seen here."""
        return any(seen.holds_any(terms) for seen in self.seen)

    def held_words(self, words: frozenset[str]) -> frozenset[str]:
        """Return which of some folded words occur in the texts seen here."""
        return frozenset[str]().union(*(seen.held_words(words) for seen in self.seen))

    def proves_any(self, terms: Set[str]) -> bool:
        """Say whether any of `terms` occurs in a text that the script cannot have supplied."""
        return any(seen.is_proof and seen.holds_any(terms) for seen in self.seen)


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the world that the trace shows."""

    path: str
    action: Literal["write", "delete", "execute"]
    detail: str = ""
    """The arguments of an execution."""
    is_read_back: bool = False
    """Whether a later call read the result."""


CALL_FAILED: Final = -1
"""The exit code of an execution that the environment refused: the tool gave nothing."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a tool, or the attempt at one. A call for help does not count.

    Only a run with exit code 0 tells what is and what is not: a query that failed is no empty result.
    """

    path: str
    arguments: tuple[str, ...]
    kind: Literal["reads", "changes", "unknown"]
    exit_code: int
    in_verify: bool = False
    error: str = ""
    """What the tool, or the environment that refused it, said; empty for exit code 0."""

    @property
    def has_failed(self) -> bool:
        """Whether what it returned is no result."""
        return self.exit_code != 0


@dataclass(frozen=True, slots=True)
class LookUp:
    """One call that looked for something: a listing, a search, the run of a tool that only reads, a read in vain.

    A read that gave its file is none: it stands among the touches.
    """

    operation: str
    place: str
    """The folder, file or tool that was asked, in canonical form."""
    terms: str = ""
    """What was asked for: a name, a pattern, a query; its beginning."""
    hits: int = 0
    """How many entries, paths or lines it gave."""
    is_whole: bool = True
    """False if it was cut off: what is missing from it proves nothing."""
    has_failed: bool = False
    """Whether it gave no result at all, which is not the same as an empty one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One call that failed through a fault of the environment; a wrong request is no such failure."""

    operation: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Reference:
    """What a cited string stands for."""

    path: str
    """The canonical path of a known file, else the cited base path in canonical form."""
    fragment: str
    """Exactly as written, with its `#`; may be empty."""
    touch: Touch | None
    is_directory: bool
    is_known: bool

    @property
    def citation(self) -> str:
        """The string to cite: canonical path and fragment."""
        return self.path + self.fragment


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything the gates may know of a trial's calls. `Evidence()` stands for a submission without a trace."""

    has_trace: bool = False
    touches: Mapping[str, Touch] = field(default_factory=dict)
    """By canonical path."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Canonical paths by the other spellings that calls used."""
    paths_by_spelling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Canonical paths, touched or listed, by their `spelling_key`."""
    directories: Set[str] = frozenset()
    changes: tuple[Change, ...] = ()
    executions: tuple[Execution, ...] = ()
    failures: tuple[Failure, ...] = ()
    look_ups: tuple[LookUp, ...] = ()

    def find(self, reference: str) -> Reference:
        """Return what `reference` stands for. A `#` in a known file's name starts no fragment."""
        base, fragment = split_fragment(reference)
        found = (self._look_up(reference, "") or self._look_up(base, fragment)) if self.has_trace else None
        return found or Reference(canonical(base), fragment, None, is_directory=False, is_known=False)

    def nearest_note(self, reference: str) -> str:
        """Return a note that names the read path nearest to an unread one, or an empty string."""
        near = nearest(reference, self.touches)
        return f" (nearest that was read: {quote(near)})" if near else ""

    def _look_up(self, base: str, fragment: str) -> Reference | None:
        asked = canonical(base.strip())
        path = self.aliases.get(asked, asked)
        touch = self.touches.get(path)
        if touch is None and path not in self.directories:
            known = self.paths_by_spelling.get(spelling_key(path), ())
            if path not in known:
                if len(known) != 1:
                    return None
                path = known[0]
                touch = self.touches.get(path)
        return Reference(path, fragment, touch, is_directory=path in self.directories, is_known=True)
