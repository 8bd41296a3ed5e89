"""The names in one world: of paths, ids, pages, fields, states, verbs, roles and words.

The same basket has the `status` `active` in one world, and the `phase` `filling` in another.
So an agent must read how this shop names things. The code uses one key for each, and the
names of the world translate it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.world.names.layout import Layout
from controlplane.benchmarks.ecom.world.names.vocabularies import PUBLIC
from controlplane.benchmarks.ecom.world.wordings import wordings_by_name


@dataclass(frozen=True, slots=True)
class WorldNames:
    """The names of one world. The code uses the keys; a trial sees the values."""

    vocabulary: str
    """`own`, `public` (the names of the public benchmark) or `random`."""
    layout: Layout
    """The paths of records, and the form of their ids."""
    pages: Mapping[str, str]
    """The path of each page, by its key in the code."""
    records: RecordNames
    """The names of fields, states, tables and subcommands."""
    roles: Mapping[str, str]
    """The name of each role, by its key: `discount refund lead stock packing desk viewer`."""
    reason_codes: tuple[str, ...]
    """The three allowed reasons for a discount."""
    return_reasons: tuple[str, ...]
    """The possible reasons for a return."""
    upload_path: str
    """The path template of uploaded files, with `kind` and `token`."""
    notices: str
    """The directory for notices that override pages, if the world has any."""
    expired_folder: str
    """The directory for an expired page, if the world has one."""
    rumour_folder: str
    """The directory for a rumour, if the world has one."""
    page_seed: str
    """The seed for the wordings of each page, and for the order of its clauses."""
    wording_set: str
    """Which wordings its pages and requests use: `known`, `unseen`, or `mixed` for all."""

    def field(self, name: str, *, within: str = "") -> str:
        """Return the shown name of a record's field."""
        return self.records.field(name, within=within)

    def state(self, value: str, *, of: str = "status") -> str:
        """Return the shown word for a state."""
        return str(self.records.state(value, of=of))

    def wordings(self, name: str) -> tuple[str, ...]:
        """Return the wordings of a request or a statement that this world uses."""
        return wordings_by_name()[name].of(self.wording_set)

    def statement(self, name: str) -> str:
        """Return a statement of pages in one of its wordings: the same on each page."""
        rng = Random(f"{self.page_seed}|{name}")
        return rng.choice(self.wordings(name))

    @property
    def uploads(self) -> str:
        """The directory of uploaded files."""
        return "/" + self.upload_path.split("/")[1]

    @property
    def directories(self) -> tuple[str, ...]:
        """The directories of every world. Public worlds have only those that their task needs."""
        if self.vocabulary == PUBLIC:
            return ()
        return (self.uploads, "/exports", "/tmp")

    def upload(self, kind: str, token: str) -> str:
        """Return the path of an uploaded file of a kind such as `receipt`."""
        return self.upload_path.format(kind=kind, token=token)
