"""The fields of a message as proto3 JSON: `{"path": "/a.md", "level": 2}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from controlplane.sandbox.interface import Plain

Fields: TypeAlias = Mapping[str, Plain]
"""The values of a request or a reply, by name."""
