"""Declares the operations and tools of the embedded world, and the calls of turn one."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final, cast

from benchmarks.shop.declarations import GUARD, SHOP_CHECKS, SHOP_TOOLS
from sandbox import FileTree
from sandbox.interface import (
    FILE_OPERATIONS,
    EachOf,
    Executable,
    ExecutableKind,
    FileArguments,
    NamedFiles,
    OpeningCall,
    Surface,
)

RULES_DOCUMENT: Final = "/AGENTS.MD"
SECURITY_DOCUMENT: Final = "/docs/security.md"
BIN: Final = "/bin/"
_READS: Final = ExecutableKind.READS
_CHANGES: Final = ExecutableKind.CHANGES
EXECUTABLES: Final = (
    Executable("/bin/availability", _READS, "says what a branch can sell today", FileArguments(count=1)),
    Executable("/bin/cat", _READS, "prints files", FileArguments(options=("-n", "--number"))),
    Executable("/bin/checkout", _CHANGES, "checks a basket out"),
    Executable("/bin/date", _READS, "says what time it is"),
    Executable("/bin/discount", _CHANGES, "puts a discount on a basket"),
    Executable("/bin/id", _READS, "says who is signed in"),
    Executable("/bin/jq", _READS, "picks values out of JSON", FileArguments(first=1, options=("-r", "--raw-output"))),
    Executable("/bin/payments", _CHANGES, "restarts a card verification"),
    Executable("/bin/refund", _CHANGES, "moves a return through its refund"),
    Executable("/bin/sql", _READS, "queries the records"),
)

NAMED_FILES: Final = NamedFiles(
    ("/proc", "/uploads"), "/proc", search="search", chars=2_750, each_chars=430, sample_chars=118
)

SURFACE: Final = Surface(
    operations=(*FILE_OPERATIONS, *SHOP_TOOLS),
    checks=SHOP_CHECKS,
    guard=GUARD,
    executables=EXECUTABLES,
    rules_document=RULES_DOCUMENT,
    opening=(
        OpeningCall("tree", {"root": "/", "level": 8}, longest_listing=6),
        OpeningCall("exec", {"path": "/bin/id"}),
        OpeningCall("exec", {"path": "/bin/date"}),
        OpeningCall("read", {"path": RULES_DOCUMENT}),
        OpeningCall("read", {"path": SECURITY_DOCUMENT}),
        OpeningCall(
            "read",
            {},
            EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0}, "paths"),
            fitting_chars=4_400,
        ),
        *(OpeningCall("exec", {"path": tool.path, "args": ["--help"]}, most_chars=200) for tool in EXECUTABLES),
    ),
    named_files=NAMED_FILES,
)


def tree_of(files: Mapping[str, str], directories: tuple[str, ...]) -> FileTree:
    """Return the tree of a shop: its files, and a file for each tool, which may not be written."""
    tools = {tool.path: f"#!veerhaven {tool.path.removeprefix(BIN)}\n{tool.summary}\n" for tool in EXECUTABLES}
    return FileTree(
        ChainMap(tools, cast("dict[str, str]", files)),
        directories=directories,
        ignore_case=True,
        writable=lambda path: not path.startswith(BIN),
    )


@lru_cache(maxsize=16)
def surface_of(security_document: str, uploads: str) -> Surface:
    """Return the surface of worlds with these paths of access rules and uploads; all such worlds share one object."""
    opening = tuple(
        replace(call, arguments={"path": security_document})
        if call.arguments.get("path") == SECURITY_DOCUMENT
        else call
        for call in SURFACE.opening
    )
    return replace(SURFACE, opening=opening, named_files=replace(NAMED_FILES, roots=("/proc", uploads)))
