"""Declares the operations and tools of the embedded world, and what turn one shows."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.runtime.tools import TOOLS
from sandbox.interface import FILE_OPERATIONS, EachOf, Executable, OpeningCall, Surface

RULES_DOCUMENT: Final = "/AGENTS.MD"


def _opening(executables: tuple[Executable, ...]) -> tuple[OpeningCall, ...]:
    return (
        OpeningCall("tree", {"root": "/", "level": 3}),
        OpeningCall("read", {"path": RULES_DOCUMENT}),
        OpeningCall(
            "read", {}, EachOf("find", {"name": "*.md", "root": "/docs", "kind": "files", "limit": 0}, "paths")
        ),
        *(OpeningCall("exec", {"path": each.path, "args": ["--help"]}) for each in executables),
    )


EXECUTABLES: Final = tuple(Executable(f"/bin/{each.name}", each.kind, each.summary) for each in TOOLS.values())

SURFACE: Final = Surface(
    operations=FILE_OPERATIONS,
    executables=EXECUTABLES,
    rules_document=RULES_DOCUMENT,
    opening=_opening(EXECUTABLES),
)
