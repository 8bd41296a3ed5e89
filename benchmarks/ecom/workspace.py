"""The workspace of a trial: files, a clock, an identity, and how records are spelled.

It holds no truth.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Self

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.sandbox.interface import Plain


class RenderedFiles(UserDict[str, Any]):
    """Files by path, given as texts or as functions that render a text.

    A text is rendered when it is first read.
    """

    def __getitem__(self, path: str) -> str:
        source: str | Callable[[], str] = self.data[path]
        if isinstance(source, str):
            return source
        text = source()
        self.data[path] = text
        return text


@dataclass(frozen=True, slots=True)
class Roots:
    """The root directory of each kind of record."""

    products: str
    stores: str
    baskets: str
    payments: str
    returns: str
    employees: str


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The limits of a world's calls; 0 means no limit."""

    listed: int = 0
    """Most paths, matches or nodes that one call lists."""
    read_lines: int = 0
    timeout_share: float = 0.0
    """The share of tool calls that time out when they are first made."""
    tool_ms: int = 0
    """Milliseconds that a tool takes at least."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One world as a trial's environment shows it."""

    files: Mapping[str, str]
    directories: tuple[str, ...]
    """Directories that exist even without files."""
    roots: Roots
    names: RecordNames
    clock: datetime
    """The world's time in UTC, which does not move during a trial."""
    security_document: str
    """The path of the rules on access, which the initial prompt shows."""
    uploads: str
    user: str
    roles: tuple[str, ...]
    verification_delay: timedelta
    """The time after a restart before a card verification may be restarted again."""
    sql_is_up: bool = True
    sql_rows: int = 100
    limits: CallLimits = field(default_factory=CallLimits)
    flat_paths_resolve: bool = False
    """True if a path directly below a root also reaches a record in its sub-directories."""

    def facts(self) -> dict[str, Plain]:
        """Return all but the files and directories, as plain data."""
        fields = asdict(replace(self, files={}, directories=()))
        return fields | {
            "clock": self.clock.isoformat(),
            "verification_delay": self.verification_delay.total_seconds(),
        }

    @classmethod
    def from_facts(
        cls, files: Mapping[str, str], directories: tuple[str, ...], facts: Mapping[str, Any]
    ) -> Self:
        """Return the workspace of these files and facts, as `facts` returned them."""
        parsed = {
            "files": files,
            "directories": directories,
            "roles": tuple(facts["roles"]),
            "roots": Roots(**facts["roots"]),
            "names": RecordNames(**facts["names"]),
            "limits": CallLimits(**facts["limits"]),
            "clock": datetime.fromisoformat(facts["clock"]),
            "verification_delay": timedelta(seconds=facts["verification_delay"]),
        }
        return cls(**{**facts, **parsed})
