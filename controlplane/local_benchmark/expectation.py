"""The end that a trial is required to have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expectation:
    """The required end of a trial, against which `faults_of` compares the real one."""

    outcome: str

    # The message is either given exactly, or it is in free words that are searched for strings.
    message: str | None = None
    """The only right message; None if it is in free words."""
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must contain."""
    forbidden: tuple[str, ...] = ()
    """Strings that a message in free words must not contain, such as facts to keep secret."""

    # The cited paths. A path that none of these three fields allows is a fault.
    references: frozenset[str] = frozenset()
    """The paths that must be cited."""
    tolerated: frozenset[str] = frozenset()
    """Further paths that may be cited."""
    free: tuple[str, ...] = ()
    """Prefixes of further paths that may be cited, such as `/docs/`."""

    # The changed files.
    changes: Mapping[str, str | None] | None = None
    """The files that must change, with their new texts, or None to delete. No other may change."""
    exact_ends: bool = True
    """True if a missing or extra newline at the end of a changed file is a fault."""
