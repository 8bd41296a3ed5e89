"""The fields of a message as proto3 JSON: `{"path": "/a.md", "level": 2}`."""

from __future__ import annotations

from typing import TypeAlias

from controlplane.sandbox.interface import Plain

Fields: TypeAlias = dict[str, Plain]
"""The values of a request or a reply, by name."""


def text_field(request: Fields, name: str) -> str:
    """Return a text of a request; empty if it is missing.

    The `.proto` files define which texts are valid.
    """
    return str(request.get(name, ""))
