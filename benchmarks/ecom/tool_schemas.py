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
    roots=("/proc", "/uploads"),  # The folders of files that a request may refer to.
    records="/proc",  # The folder of records.
    search="search",  # The operation that finds them.
    most=8,  # The most files that are shown.
    each_chars=600,  # For a file that matches the request but is not named in it.
    follows_records=False,  # Not the records that these refer to: functions read those.
)
"""The files that the initial prompt shows because the request refers to them."""
TOOL_SCHEMA: Final = shop_tool_schema(
    NAMED_FILES,
    listing=6,  # The most names for one folder. Longer listings are cut.
    ranked_chars=7_600,  # For all pages that match the request.
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
