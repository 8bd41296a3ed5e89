"""A small invented shop, and the first message that a model gets about it.

Before a model is asked, the product makes the *initial calls* that an environment declares, and
shows their results: the tree of files, the rules, and what fits the request. So "Check out
cart-1." shows the record of cart-1 and the document on carts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from controlplane.agent.events import ConversationOpened, TrialEvent
from controlplane.agent.evidence import Recorder
from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    DocumentDates,
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
"""Lists all folders; of a folder with several files, the first one and their number."""
READ_FITTING_DOCUMENTS = InitialCall(
    "read",
    {},
    EachOf(
        "find",
        {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0},
        "paths",
    ),
    is_ranked=True,
)
"""Reads the documents that share the most words with the request."""
SHOP_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(Executable("/bin/id", ExecutableKind.READS),),
    rules_document="/RULES.md",
    initial_calls=(
        WHOLE_TREE,
        InitialCall("exec", {"path": "/bin/id"}),
        InitialCall("read", {"path": "/RULES.md"}, most_chars=5),
        READ_FITTING_DOCUMENTS,
    ),
    # Files below /data are shown if the request names them, or if they are linked to those.
    named_files=NamedFiles(roots=("/data",), records="/data", search="search"),
)


class Shop:
    """The environment: files that can be read and searched, and `/bin/id`, who is asking."""

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


def ignore_event(event: TrialEvent) -> None:
    """Take an event of a trial, for which no journal is written."""


def recorder_of(environment: Shop) -> Recorder:
    """Return the recorder of a trial's calls, before the first message is made."""
    recorder = Recorder("t", environment, ignore_event)
    recorder.step_log.begin(0)
    return recorder


def first_message(
    instruction: str, environment: Shop, most_chars: int = 120_000
) -> str:
    """Return the first message of a trial with this request."""
    recorder = recorder_of(environment)
    opened = build_initial_prompt(instruction, recorder, most_chars)
    return "".join(opened.first_message)


# A shop with notices: documents that are valid from a day on, or until one.

DATED_NOW = datetime(2031, 5, 10, 23, 30, tzinfo=UTC)
"""The time of the trials. By clocks that are an hour ahead, this is the 11th of May."""
DATED_SCHEMA = replace(
    SHOP_SCHEMA,
    document_dates=DocumentDates(zone="+00:00", in_names=True),
    ranked_chars=3_000,
)
NOTICES = {
    "/RULES.md": (
        "Carts: /docs/carts.md, keys: /docs/keys.md, noise: /docs/noise.md."
        " Notices in `/docs/news` win.\n"
    ),
    "/docs/keys.md": "# Keys\n" + "Two keys a room. " * 20,
    "/docs/news/2031-05-01-calls.md": "# Notice\nSince 2031-05-01 calls are counted.",
    "/docs/news/2031-05-02-keys.md": "# Notice\nInstead of `/docs/keys.md`: one key a room.",
    "/docs/news/2031-05-11-calls.md": "# Notice\nFrom 2031-05-11 on no calls are counted.",
    "/docs/news/2031-05-20-carts.md": "# Notice\nInstead of `/docs/carts.md`: checked out twice.",
}
"""Rules that name the folder of the notices, and notices with their first day in their name."""


class DatedShop(Shop):
    """A shop with notices and a clock."""

    def __init__(
        self, tool_schema: ToolSchema = DATED_SCHEMA, files: Mapping[str, str] = NOTICES
    ) -> None:
        """`files` are those beside or instead of the shop's own."""
        super().__init__(tool_schema, files={**SHOP_FILES, **files})

    def now(self) -> datetime:
        return DATED_NOW


def opened_at(
    shop: Shop, instruction: str = "Check out cart-1.", now: datetime = DATED_NOW
) -> ConversationOpened:
    """Return the event that opens the conversation: the first message, and why it shows its
    files."""
    return build_initial_prompt(instruction, recorder_of(shop), now=now)
