"""What a trial has seen and done, as a read-only view. Whoever runs the trial fills it; the gates only look.

A path counts under its canonical spelling: the one that listings show, else the one that reading it gave back.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from gates.types import terms
from gates.types.canonical_paths import canonical, fold, nearest, split_fragment
from gates.types.plain_data import show

Action: TypeAlias = Literal["read", "write", "delete", "execute"]

MAX_INDEXED_CHARS = 1_000_000
"""Characters of one text that are kept and indexed."""
_SAMPLES = 4


@dataclass(frozen=True)
class Seen:
    """One text that the trial saw at a path. It is indexed once, when a gate or a rule first asks what it names."""

    text: str
    is_whole: bool = True
    """False if the text was too long to keep to its end; then a missing term proves nothing."""

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms by which it can be named. Costs about 40 µs per 1,000 characters."""
        return terms.index_terms(self.text)

    @cached_property
    def samples(self) -> tuple[str, ...]:
        """A few telling words of it, for messages."""
        return terms.telling_words(self.text, _SAMPLES)


def seen_text(text: str, most_chars: int = MAX_INDEXED_CHARS) -> Seen:
    """Return `text` as seen: what stands beyond `most_chars` is not kept."""
    head = text[:most_chars]
    return Seen(head, is_whole=len(head) == len(text))


@dataclass(frozen=True, slots=True)
class Touch:
    """What happened at one path."""

    path: str
    actions: frozenset[Action]
    seen: tuple[Seen, ...] = ()

    def names_any(self, forms: Set[str]) -> bool:
        """Say whether any of the index terms `forms` stands in what was seen here."""
        return any(not seen.terms.isdisjoint(forms) for seen in self.seen)


@dataclass(frozen=True, slots=True)
class Change:
    """One alteration of the world that the trace shows."""

    path: str
    action: Literal["write", "delete", "execute"]
    detail: str = ""
    """The arguments of an execution."""
    is_read_back: bool = False
    """Whether a later call looked at the outcome."""


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a tool that reached it; a call for help is none."""

    path: str
    arguments: tuple[str, ...]
    kind: Literal["reads", "changes", "unknown"]
    exit_code: int
    in_verify: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """One call that failed because the environment did, not because the request was wrong."""

    operation: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Reference:
    """What a cited string stands for."""

    path: str
    """The canonical path; where nothing is known of it, its own base path in canonical form."""
    fragment: str
    """With its `#`, exactly as written; empty without one."""
    touch: Touch | None
    is_directory: bool
    is_known: bool

    @property
    def citation(self) -> str:
        """The string to cite: canonical path and fragment."""
        return self.path + self.fragment


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything the gates may know of a trial's calls. `Evidence()` is that of a submission without a trace."""

    has_trace: bool = False
    touches: Mapping[str, Touch] = field(default_factory=dict)
    """By canonical path."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings that a call used, and the canonical path that each turned out to be."""
    folded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Canonical paths, touched or shown by a listing, by their folded spelling (`paths.fold`)."""
    directories: Set[str] = frozenset()
    changes: tuple[Change, ...] = ()
    executions: tuple[Execution, ...] = ()
    failures: tuple[Failure, ...] = ()

    def find(self, reference: str) -> Reference:
        """Return what `reference` stands for. A `#` that belongs to a known file's name is no fragment."""
        base, fragment = split_fragment(reference)
        found = (self._look_up(reference, "") or self._look_up(base, fragment)) if self.has_trace else None
        return found or Reference(canonical(base), fragment, None, is_directory=False, is_known=False)

    def hint(self, reference: str) -> str:
        """Return, to be put behind a path that was not read, which of those that were is nearest; empty for none."""
        near = nearest(reference, self.touches)
        return f" (nearest that was read: {show(near)})" if near else ""

    def _look_up(self, base: str, fragment: str) -> Reference | None:
        asked = canonical(base.strip())
        path = self.aliases.get(asked, asked)
        touch = self.touches.get(path)
        if touch is None and path not in self.directories:
            known = self.folded.get(fold(path), ())
            if path not in known:
                if len(known) != 1:
                    return None
                path = known[0]
                touch = self.touches.get(path)
        return Reference(path, fragment, touch, is_directory=path in self.directories, is_known=True)
