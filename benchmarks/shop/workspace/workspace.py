"""A shop's workspace: its rules, policies, tools and records, and the names that it uses.

Shops differ in what they call folders, fields and states: baskets are in `/proc/carts` here and in
`/proc/orders` there. A `ShopLayout` learns these names from the rules document, the list of
files and a few records of each kind, so no other module has to know them. A fact that is not
certain raises `CannotRead`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Concatenate, ParamSpec, TypeVar

from controlplane.benchmarks.shop.workspace.file_list import FileList
from controlplane.benchmarks.shop.workspace.identity import Identity
from controlplane.benchmarks.shop.workspace.known_kinds import KnownKinds, known_kinds
from controlplane.benchmarks.shop.workspace.policy_pages import PolicyPages
from controlplane.benchmarks.shop.workspace.records.record import RecordKeys
from controlplane.benchmarks.shop.workspace.records.record_files import RecordFiles
from controlplane.benchmarks.shop.workspace.records.record_groups import (
    folder_of_records,
)
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)
from controlplane.benchmarks.shop.workspace.shop_documents import ShopDocuments
from controlplane.benchmarks.shop.workspace.shop_names import ShopNames
from controlplane.benchmarks.shop.workspace.shop_tools import ShopTools
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.sandbox.functions import Harness

Arguments = ParamSpec("Arguments")
"""The further arguments of a function that `layout_from_harness` decorates."""
Result = TypeVar("Result")
"""What such a function returns."""


class ShopLayout:
    """The contents of a shop's workspace, and the names that the shop uses.

    A function for scripts gets one from its `harness` (`layout_from_harness`). Each part is
    read when it is first used, and then kept.
    """

    def __init__(self, reader: WorkspaceReader) -> None:
        self.reader = reader
        self.files = FileList(reader)
        self.documents = ShopDocuments(self.files)
        self.tools = ShopTools(self.files, self.documents)

    @cached_property
    def policies(self) -> PolicyPages:
        """The documents that are policies, by their subjects."""
        return PolicyPages(self.documents, self.tools.by_use)

    @cached_property
    def asker(self) -> Identity:
        """The person who is signed in. Raises `CannotRead` if it is not certain."""
        return self.tools.asker

    @cached_property
    def clock(self) -> str:
        """The time that the shop's clock prints."""
        return self.tools.time

    # Records

    @cached_property
    def record_files(self) -> RecordFiles:
        """The files with records. `raw_records` and `records` share them, so none is read twice."""
        paths = self.files.paths
        root = folder_of_records(paths, self.documents.rules)
        return RecordFiles(self.reader, paths, root)

    @cached_property
    def raw_records(self) -> WorkspaceRecords:
        """The records as plain data, for callers that need no owner, state or time.

        Unlike `records`, they can be read even if the names of those fields are not certain.
        """
        return WorkspaceRecords(self.record_files)

    @cached_property
    def kinds(self) -> KnownKinds:
        """The records of each kind."""
        return known_kinds(self.raw_records)

    @cached_property
    def _names(self) -> ShopNames:
        """What the shop calls the fields of records, and the open state of baskets."""
        return ShopNames(self.record_files, self.kinds, self.documents)

    @cached_property
    def keys(self) -> RecordKeys:
        """The names of records' fields. Raises `CannotRead` if they are not certain."""
        return self._names.keys

    @cached_property
    def records(self) -> WorkspaceRecords:
        """The records, which know their owner, state and time.

        Raises `CannotRead` if the names of these fields are not certain.
        """
        return WorkspaceRecords(self.record_files, self.keys)

    @cached_property
    def open_state(self) -> str:
        """The state in which a basket can be bought. Raises `CannotRead` if it is not certain."""
        checkout_policy = self.policies.text_of("checkout")
        return self._names.open_state(checkout_policy)


def layout_from_harness(
    function: Callable[Concatenate[ShopLayout, Arguments], Result], /
) -> Callable[Concatenate[ShopLayout | Harness, Arguments], Result]:
    """Decorate a function of a `ShopLayout`, so that it can also be called with a `harness`.

    A `harness` is an object with which a script reads a workspace. `read_all(harness, path)` makes
    a layout from it, and calls `read_all(layout, path)`. Other modules of the shop pass the layout
    that they have.
    """

    @wraps(function)
    def call(
        shop: ShopLayout | Harness, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        if isinstance(shop, ShopLayout):
            layout = shop
        else:
            layout = ShopLayout(WorkspaceReader(shop))
        return function(layout, *args, **kwargs)

    return call
