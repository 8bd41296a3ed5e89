"""Ids of which a workspace keeps no record: in a shop, which keeps none of its customers, those of owners."""

from __future__ import annotations

from collections.abc import Callable

from toolkit.layout.field_shapes import Shape, shape_of


def is_foreign_id(value: object, is_record: Callable[[str], bool]) -> bool:
    """Say whether a value is an id that no record has. `is_record` says of an id whether one does."""
    return shape_of(value) is Shape.ID and not is_record(str(value))
