"""An environment's declaration as JSON text and back, so that a journal alone suffices to run its scripts again."""

from __future__ import annotations

import dataclasses
import json
from typing import Final

from pydantic import TypeAdapter

from sandbox.interface import (
    EachOf,
    Executable,
    NamedFiles,
    OpeningCall,
    Surface,
    operation_data,
    operation_of,
)

_EXECUTABLES: Final = TypeAdapter(tuple[Executable, ...])
KEPT: Final = 16
_kept: dict[int, tuple[Surface, str]] = {}
"""Declarations that were asked for, by their identity, with their texts: the trials of a run share a few."""


def surface_to_text(surface: Surface) -> str:
    """Return `surface` as JSON text."""
    known = _kept.get(id(surface))
    if known is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        known = _kept[id(surface)] = (surface, _to_text(surface))
    return known[1]


def _to_text(surface: Surface) -> str:
    declared = {
        "operations": [operation_data(each) for each in surface.operations],
        "checks": [operation_data(each) for each in surface.checks],
    }
    rest = dataclasses.asdict(dataclasses.replace(surface, operations=(), checks=()))
    return json.dumps(rest | declared, sort_keys=True)


def surface_from_text(text: str) -> Surface:
    """Return the declaration that `text` holds. Raises `ValueError`, `KeyError` or `TypeError` if it holds none."""
    fields = json.loads(text)
    named = fields.get("named_files")
    return Surface(
        operations=tuple(operation_of(each) for each in fields["operations"]),
        executables=_EXECUTABLES.validate_python(fields["executables"]),
        rules_document=fields["rules_document"],
        opening=tuple(
            OpeningCall(**each | {"each_of": EachOf(**each["each_of"]) if each["each_of"] else None})
            for each in fields["opening"]
        ),
        named_files=NamedFiles(**named | {"roots": tuple(named["roots"])}) if named else None,
        checks=tuple(operation_of(each) for each in fields.get("checks", ())),
        reads_side_by_side=fields.get("reads_side_by_side", False),
    )
