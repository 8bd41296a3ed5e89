"""The workspace of a trial: files, a clock and an identity. The workspace does not hold the truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Self

from benchmarks.ecom.runtime.record_names import RecordNames
from sandbox.interface import Plain


def record_text(data: Mapping[str, Plain]) -> str:
    """Return the text of a record's file: JSON indented by two spaces, with a final newline."""
    return json.dumps(dict(data), indent=2, ensure_ascii=False) + "\n"


class RenderedFiles(Mapping[str, str]):
    """Files by path. A text is rendered when it is first read."""

    def __init__(self, sources: Mapping[str, str | Callable[[], str]]) -> None:
        self._sources = sources
        self._texts: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        text = self._texts.get(path)
        if text is None:
            source = self._sources[path]
            text = self._texts[path] = source if isinstance(source, str) else source()
        return text

    def __contains__(self, path: object) -> bool:
        return path in self._sources

    def get(self, path: str, default: Any = None) -> Any:
        """Do as `Mapping.get`, but cheaply: it is called for a whole world at once, most of which exists."""
        return self[path] if path in self._sources else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


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
    """The path of the rules on access, which turn one shows."""
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
        told = asdict(replace(self, files={}, directories=()))
        return told | {"clock": self.clock.isoformat(), "verification_delay": self.verification_delay.total_seconds()}

    @classmethod
    def from_facts(cls, files: Mapping[str, str], directories: tuple[str, ...], facts: Mapping[str, Any]) -> Self:
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
