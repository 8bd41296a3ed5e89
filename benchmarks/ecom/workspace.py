"""The workspace of a trial: its files, its clock, its user, and the names in its records.

It is what an agent may see and change. A process that runs tools gets it as plain data.
The right answer is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, Self

from controlplane.benchmarks.ecom.record_store import RecordNames
from controlplane.sandbox.interface import Plain


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
    """The most paths, matches or nodes that one call lists."""
    read_lines: int = 0
    """The most lines of a file that one read returns."""
    timeout_share: float = 0.0
    """The share of tool calls that time out the first time."""
    tool_ms: int = 0
    """The shortest duration of a tool call in milliseconds."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One world as a trial's environment shows it. Created for each trial."""

    files: Mapping[str, str]
    directories: tuple[str, ...]
    """Directories that exist even without files."""
    roots: Roots
    names: RecordNames
    clock: datetime
    """The world's time in UTC, which stands still during a trial."""
    security_document: str
    """The path of the access rules, which the initial prompt shows."""
    uploads: str
    """The directory of uploaded files."""
    user: str
    """The id of the person who is signed in."""
    roles: tuple[str, ...]
    verification_delay: timedelta
    """The time until a restarted card verification may be restarted again."""
    sql_is_up: bool = True
    """False during an outage of the tool for SQL queries."""
    sql_rows: int = 100
    """The most rows that a query prints."""
    limits: CallLimits = field(default_factory=CallLimits)
    flat_paths_resolve: bool = False
    """True if a record in a sub-directory can also be read without it in the path (a flat path)."""

    def facts(self) -> dict[str, Plain]:
        """Return everything except the files and directories as plain data, for a worker.

        Files are sent to a worker in another way, because they change.
        """
        facts = _fields_of(self)
        del facts["files"], facts["directories"]
        facts["roots"] = _fields_of(self.roots)
        facts["names"] = _fields_of(self.names)
        facts["limits"] = _fields_of(self.limits)
        facts["clock"] = self.clock.isoformat()
        facts["verification_delay"] = self.verification_delay.total_seconds()
        return facts

    @classmethod
    def from_facts(
        cls,
        files: Mapping[str, str],
        directories: tuple[str, ...],
        facts: Mapping[str, Any],
    ) -> Self:
        """Return the workspace from its files and the data that `facts` returned.

        Texts, numbers and booleans are the same in both forms. All others are listed here.
        """
        values = dict(facts)
        values["files"] = files
        values["directories"] = directories
        values["roles"] = tuple(facts["roles"])
        values["roots"] = Roots(**facts["roots"])
        values["names"] = RecordNames(**facts["names"])
        values["limits"] = CallLimits(**facts["limits"])
        values["clock"] = datetime.fromisoformat(facts["clock"])
        values["verification_delay"] = timedelta(seconds=facts["verification_delay"])
        return cls(**values)


def _fields_of(
    instance: Roots | CallLimits | RecordNames | Workspace,
) -> dict[str, Any]:
    """Return the values of an object's fields by their names, not copied."""
    return {each.name: getattr(instance, each.name) for each in fields(instance)}
