"""A small invented shop of carts and documents, as the first messages of trials show it.

It declares which calls are made before a model is asked: those that list the tree, read the rules
and the documents, and find the records that a request names. "Check out cart-1." names the record
of cart-1, which has the item ITEM-A-1, and which the payment pay-9 is for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Executable,
    ExecutableKind,
    InitialCall,
    NamedFiles,
    Plain,
    ToolSchema,
)


def record_text(**fields: Plain) -> str:
    """Return the text of a record: `record_text(id="cart-1")` -> `{"id": "cart-1"}` in lines."""
    return json.dumps(fields, indent=2) + "\n"


SHOP_FILES = {
    "/RULES.md": (
        "Carts: /docs/carts.md\n"
        "What no document tells is not done here, and what one forbids is refused.\n"
    ),
    "/docs/carts.md": "# Carts\nA cart is checked out once.",
    "/docs/lore.md": "# Lore\nThe harbour, long ago.",
    "/data/carts/cart-1.json": record_text(
        id="cart-1", owner="cust-1", item="ITEM-A-1"
    ),
    "/data/carts/cart-2.json": record_text(
        id="cart-2", owner="cust-2", item="ITEM-B-2"
    ),
    "/data/items/ITEM-A-1.json": record_text(sku="ITEM-A-1", price=3),
    "/data/items/ITEM-B-2.json": record_text(sku="ITEM-B-2", price=4),
    "/data/paid/pay-9.json": record_text(id="pay-9", cart="cart-1"),
    "/data/paid/pay-8.json": record_text(id="pay-8", cart="cart-2"),
    "/data/staff/emp-5.json": record_text(id="emp-5", note="n" * 500),
}

WHOLE_TREE = InitialCall("tree", {"root": "/", "level": 0}, longest_listing=1)
"""Lists the folders of all levels (0: no limit) with at most one file each:

    data/
      carts/ (2: cart-1.json ..)
      items/ (2: ITEM-A-1.json ..)
"""

EACH_DOCUMENT = EachOf(
    "find",
    {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0},
    "paths",
)
"""Makes a call for each of the `paths` that `find` lists (0: all): /docs/carts.md and /docs/lore.md."""

READ_FITTING_DOCUMENTS = InitialCall("read", each_of=EACH_DOCUMENT, is_ranked=True)
"""Reads the documents that share the most words with the request.

For "Check out cart-1." this makes the call `read("/docs/carts.md")`, and none for /docs/lore.md.
"""

SHOP_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(Executable("/bin/id", ExecutableKind.READS),),
    rules_document="/RULES.md",
    initial_calls=(
        WHOLE_TREE,
        InitialCall("exec", {"path": "/bin/id"}),
        InitialCall("read", {"path": "/RULES.md"}, most_chars=5),  # only `Carts`
        READ_FITTING_DOCUMENTS,
    ),
    # Files below /data are shown if the request names them, or if they are linked to those.
    named_files=NamedFiles(roots=("/data",), records="/data", search="search"),
)


class Shop:
    """The environment: files that can be read and searched, and `/bin/id`, who is asking.

    `Shop(broken_operations=("read",))` fails to read, with the error "no such luck".
    """

    def __init__(
        self,
        tool_schema: ToolSchema = SHOP_SCHEMA,
        broken_operations: tuple[str, ...] = (),
        files: Mapping[str, str] = SHOP_FILES,
    ) -> None:
        self.tool_schema = tool_schema
        self._tree = FileTree(files)
        self._broken_operations = broken_operations

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation in self._broken_operations:
            raise CallError("unavailable", "no such luck")
        if operation == "exec":
            return {"stdout": "user: cust-2\n", "stderr": "", "exit_code": 0}
        return getattr(self._tree, operation)(**arguments)

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise AssertionError

    def now(self) -> datetime | None:
        return None
