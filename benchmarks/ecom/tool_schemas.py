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

# Limits of the initial prompt
MAX_NAMED_FILES: Final = 8
"""The most files that are shown because the request refers to them."""
SIMILAR_FILE_CHARS: Final = 600
"""The most characters of a file that the request does not name, but resembles."""
MAX_LISTED_NAMES: Final = 6
"""The most names of one folder in the tree of files."""
PAGE_CHARS: Final = 7_600
"""The most characters of all pages that fit the request."""
HELP_CHARS: Final = 200
"""The most characters of one tool's help."""

NAMED_FILES: Final = NamedFiles(
    roots=("/proc", "/uploads"),  # Requests refer to records and uploads.
    records="/proc",
    search="search",  # The operation that finds a record by its name.
    most=MAX_NAMED_FILES,
    each_chars=SIMILAR_FILE_CHARS,
    follows_records=False,  # The basket of a shown payment is not shown as well.
)
"""The files that the initial prompt shows because the request refers to them.

For "What is the status of basket-0012?", it shows the record of this basket.
"""
TOOL_SCHEMA: Final = shop_tool_schema(
    NAMED_FILES,
    listing=MAX_LISTED_NAMES,
    ranked_chars=PAGE_CHARS,
    help_chars=HELP_CHARS,
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
        # A notice is valid from the day in its name: `/docs/notice-2027-03-01.md`.
        document_dates=DocumentDates(zone="UTC", in_names=True),
    )
