"""The tool schema of a shop: what scripts can call, and what the model's first message shows.

A shop has tools in `/bin`, such as `/bin/checkout`, and functions of its own, such as
`stock_at`. The first message, called the initial prompt, shows the results of calls that nearly
every script would make: who asks, the time, the rules document and the help of each tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.benchmarks.shop.declarations import (
    PRE_CALL_CHECK,
    SHOP_CHECKS,
    SHOP_TOOLS,
)
from controlplane.benchmarks.shop.shop_executables import EXECUTABLES
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    DocumentDates,
    EachOf,
    InitialCall,
    NamedFiles,
    Plain,
    RecordOwners,
    ToolSchema,
)
from controlplane.sandbox.interface.outcomes import PLATFORM_OUTCOMES

_RULES_DOCUMENT: Final = "/AGENTS.MD"
SECURITY_DOCUMENT: Final = "/docs/security.md"
_NO_LIMIT: Final = 0
"""The limit of a listing that has all names."""
_TREE_LEVELS: Final = 8
"""The levels of folders in the initial prompt's tree. No shop has more."""
_OWNER_FIELDS: Final = (
    "customer_id",
    "customer",
    "owner_id",
    "owner",
    "buyer_id",
    "buyer",
    "client_id",
    "client",
    "shopper_id",
    "account_id",
)
"""The usual names of the field that holds the customer of a basket, payment or return."""


def record_owners(fields: tuple[str, ...]) -> RecordOwners:
    """Return how the owner of a record is found, and who may see only their own records.

    `fields` are the possible names of the field with the owner. `/bin/id` prints who asks, and
    in which roles: those of customers and guests permit only their own records.
    """
    return RecordOwners(fields, "/bin/id", own_only=("customer", "guest", "anonymous"))


def shop_tool_schema(
    named_files: NamedFiles, *, listing: int, ranked_chars: int, help_chars: int
) -> ToolSchema:
    """Return the tool schema of a shop.

    The initial prompt lists folders of up to `listing` names in full. It shows `ranked_chars`
    characters of the files that fit the request best, and `help_chars` of each tool's help.
    `named_files` says which files may be named in a request, and are then shown.
    """
    return ToolSchema(
        # What scripts can call
        operations=(*FILE_OPERATIONS, *SHOP_TOOLS),
        executables=EXECUTABLES,
        # Who checks calls and answers: functions that scripts cannot call
        checks=SHOP_CHECKS,
        pre_call_check=PRE_CALL_CHECK,
        trusted_roots=("/docs/",),  # Customers cannot write there.
        outcomes=PLATFORM_OUTCOMES,
        # What the initial prompt shows
        rules_document=_RULES_DOCUMENT,
        initial_calls=tuple(_initial_calls(listing, help_chars)),
        named_files=named_files,
        ranked_chars=ranked_chars,
        record_owners=record_owners(_OWNER_FIELDS),
        # A notice is valid from the day in its name: `2027-03-01-hours.md`.
        document_dates=DocumentDates(in_names=True),
    )


def _initial_calls(listing: int, help_chars: int) -> Iterator[InitialCall]:
    """Yield the calls whose results appear in the initial prompt, in order.

    `exec` runs a tool. The results of `/bin/id` and `/bin/date` say who asks, and the time.
    """
    tree: dict[str, Plain] = {"root": "/", "level": _TREE_LEVELS}
    yield InitialCall("tree", tree, longest_listing=listing)
    yield InitialCall("exec", {"path": "/bin/id"})
    yield InitialCall("exec", {"path": "/bin/date"})
    # A trivial query shows whether the query tool works. Its output is not shown (`most_chars=0`).
    query: dict[str, Plain] = {"path": "/bin/sql", "args": ["select 1"]}
    yield InitialCall("exec", query, most_chars=0)
    yield InitialCall("read", {"path": _RULES_DOCUMENT})
    yield InitialCall("read", {"path": SECURITY_DOCUMENT})
    find: dict[str, Plain] = {
        "name": "*.md",
        "root": "/docs",
        "kind": "files",
        "limit": _NO_LIMIT,
    }
    # Reads each path that `find` returns, those that fit the request best first.
    each_page = EachOf("find", arguments=find, field="paths")
    yield InitialCall("read", {}, each_page, is_ranked=True)
    for tool in EXECUTABLES:
        asks_for_help: dict[str, Plain] = {"path": tool.path, "args": ["--help"]}
        yield InitialCall("exec", asks_for_help, most_chars=help_chars)
