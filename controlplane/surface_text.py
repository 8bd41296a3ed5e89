"""An environment's declaration as JSON text and back, so that a journal alone suffices to run its scripts again."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from sandbox.operations import (
    REQUIRED,
    EachOf,
    Effect,
    Executable,
    ExecutableKind,
    OpeningCall,
    Operation,
    Parameter,
    Required,
    ResultField,
    Surface,
)

_last: tuple[Surface, str] | None = None
"""The declaration that was asked for last, with its text: the trials of a run mostly share one."""


def surface_to_text(surface: Surface) -> str:
    """Return `surface` as JSON text; a parameter that is required lacks its `default`."""
    global _last
    known = _last
    if known is None or known[0] is not surface:
        _last = known = (surface, _to_text(surface))
    return known[1]


def _to_text(surface: Surface) -> str:
    fields = dataclasses.asdict(surface)
    for operation in fields["operations"]:
        for parameter in operation["parameters"]:
            if isinstance(parameter["default"], Required):
                del parameter["default"]
    return json.dumps(fields, sort_keys=True)


def surface_from_text(text: str) -> Surface:
    """Return the declaration that `text` holds. Raises `ValueError`, `KeyError` or `TypeError` where it holds none."""
    fields = json.loads(text)
    return Surface(
        operations=tuple(_operation(each) for each in fields["operations"]),
        executables=tuple(
            Executable(each["path"], ExecutableKind(each["kind"]), each["summary"]) for each in fields["executables"]
        ),
        rules_document=fields["rules_document"],
        opening=tuple(
            OpeningCall(each["operation"], each["arguments"], EachOf(**each["each_of"]) if each["each_of"] else None)
            for each in fields["opening"]
        ),
    )


def _operation(fields: dict[str, Any]) -> Operation:
    return Operation(
        name=fields["name"],
        parameters=tuple(
            Parameter(each["name"], each["type"], each.get("default", REQUIRED)) for each in fields["parameters"]
        ),
        fields=tuple(ResultField(each["name"], tuple(each["items"])) for each in fields["fields"]),
        summary=fields["summary"],
        effect=Effect(fields["effect"]),
        subject=fields["subject"],
        json_field=fields["json_field"],
        drawn_as_tree=fields["drawn_as_tree"],
    )
