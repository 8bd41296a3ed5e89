"""What the records and documents of an environment mean: their owners, and their dates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordOwners:
    """Says how to find the owner of a record.

    The first message shows some users only their own records.
    """

    fields: tuple[str, ...]
    """The fields of a JSON record that may hold its owner's id, the most likely first."""
    tool: str
    """The tool that prints the current user, in lines such as `user: u-17`. The environment has
    it run before the first message (`ToolSchema.initial_calls`)."""
    user_key: str = "user"
    """The key of the line with the user's id."""
    roles_key: str = "roles"
    """The key of the line with the user's roles, separated by commas."""
    own_only: tuple[str, ...] = ()
    """Roles that permit only one's own records. A user with any other role sees all records."""


@dataclass(frozen=True, slots=True)
class DocumentDates:
    """Says how to find the period in which a document is valid.

    A day begins at midnight in `zone`.
    """

    zone: str = ""
    """An offset such as `+01:00`, or a name such as `Europe/Vienna`; empty if it is not known."""
    in_names: bool = False
    """True if the first day of a document can be in its name, as in
    `/notices/2026-03-01-hours.md`. This holds only in folders that the rules
    of the workspace name."""
    from_keys: tuple[str, ...] = ()
    """The keys of a document's front matter with the moment, or the day, from which it is valid."""
    until_keys: tuple[str, ...] = ()
    """The keys with the moment at which it stops being valid, or with its last valid day."""
