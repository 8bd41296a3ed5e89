"""What a script may look at and not alter: copies, and a mapping that can be read and nothing else.

`types.MappingProxyType` hands the dict behind it to the other side's `__eq__` or `__ror__`, which may alter it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from sandbox.language.attribute_names import COPIED, is_special


class ReadOnly(Mapping[Any, Any]):
    """What a script sees of a dict that outlives its step."""

    __slots__ = ("_held",)

    def __init__(self, held: Mapping[Any, Any]) -> None:
        self._held = dict(held)

    def __getitem__(self, key: Any) -> Any:
        return self._held[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(tuple(self._held))

    def __len__(self) -> int:
        return len(self._held)

    def __or__(self, other: Any) -> Any:
        return dict(self._held) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self._held)

    def __repr__(self) -> str:
        return f"mappingproxy({self._held!r})"

    def copy(self) -> dict[Any, Any]:
        """Return a dict with the same values."""
        return dict(self._held)


def copied(value: Any, name: str) -> Any:
    """Return a copy of what the interpreter or the library keeps under a few names, so that no script alters it."""
    if name in COPIED and type(value) is dict:
        return dict(value)
    if name == "__dict__" and type(value) is MappingProxyType:
        return MappingProxyType({key: each for key, each in value.items() if not is_special(key)})
    if name == "_member_names_":
        return list(value)
    return MappingProxyType(dict(value)) if name == "__members__" else value
