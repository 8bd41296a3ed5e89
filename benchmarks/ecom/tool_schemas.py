"""The tool schemas of shops: what agents may call, and what the initial prompt shows.

Worlds differ in three names that a tool schema has: the page with the access rules, the
directory of uploads, and the field of a record that has its customer. Worlds with the same
names share one schema.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from controlplane.benchmarks.shop.shop_schema import (
    SECURITY_DOCUMENT,
    record_owners,
    shop_tool_schema,
)
from controlplane.sandbox.interface import DocumentDates, NamedFiles, ToolSchema

NAMED_FILES: Final = NamedFiles(
    roots=("/proc", "/uploads"),  # Requests refer to records and uploads.
    records="/proc",
    search="search",  # The operation that finds a record by its name.
    most=8,  # At most 8 files are shown.
    each_chars=600,  # All of a file that the request names, 600 characters of a similar one.
    follows_records=False,  # The basket of a shown payment is not shown as well.
)
"""The files that the initial prompt shows because the request refers to them.

For "What is the status of basket-0012?", it shows the record of this basket.
"""
TOOL_SCHEMA: Final = shop_tool_schema(
    NAMED_FILES,
    listing=6,  # A folder is listed with at most 6 names.
    ranked_chars=7_600,  # For the pages that fit the request best, together.
    help_chars=200,  # For the help of each tool.
)
"""The tool schema of worlds with the names of the public benchmark."""


@lru_cache(maxsize=64)
def tool_schema_of(
    security_document: str, uploads: str, owner_field: str
) -> ToolSchema:
    """Return the tool schema for worlds with these names. All such worlds share one object.

    The arguments are the path of the access rules, the directory of uploads, and the
    field that names a record's customer: `/docs/access.md`, `/scans`, `owner`.
    """
    initial_calls = []
    for call in TOOL_SCHEMA.initial_calls:
        if call.arguments.get("path") == SECURITY_DOCUMENT:
            initial_calls.append(replace(call, arguments={"path": security_document}))
        else:
            initial_calls.append(call)
    return replace(
        TOOL_SCHEMA,
        initial_calls=tuple(initial_calls),
        named_files=replace(NAMED_FILES, roots=("/proc", uploads)),
        record_owners=record_owners((owner_field,)),
        # `/docs/notice-2027-03-01.md`
        document_dates=DocumentDates(zone="UTC", in_names=True),
    )
