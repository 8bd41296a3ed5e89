"""The data that cross the border between a script and the trial, and that a journal stores."""

from __future__ import annotations

from typing import TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""Data of JSON's own types: `{"path": "/a.md", "lines": [1, 2], "found": True, "error": None}`."""
