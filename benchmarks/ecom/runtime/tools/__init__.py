"""The tools of `/bin`. They carry out what they are told and enforce no policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchmarks.ecom.runtime.tools.changing_tools import CHANGES
from benchmarks.ecom.runtime.tools.reading_tools import QUERIES
from benchmarks.ecom.runtime.tools.tool_context import Tool

TOOLS: Final[Mapping[str, Tool]] = {each.name: each for each in (*QUERIES, *CHANGES)}
"""Every tool by the base name of its path."""
