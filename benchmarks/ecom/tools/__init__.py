"""The tools of `/bin`. They are mechanical: they do what they are told and enforce no policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchmarks.ecom.tools.changes import CHANGES
from benchmarks.ecom.tools.machine import Tool
from benchmarks.ecom.tools.queries import QUERIES

TOOLS: Final[Mapping[str, Tool]] = {
    each.name: each for each in sorted((*QUERIES, *CHANGES), key=lambda tool: tool.name)
}
"""Every tool by the base name of its path."""
