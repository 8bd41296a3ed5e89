"""An operation's declaration as JSON's own types and back: for the child that runs scripts, and for journals."""

from __future__ import annotations

from typing import Any

from sandbox.interface.operations import REQUIRED, Effect, Operation, Parameter, ResultField


def operation_data(operation: Operation) -> dict[str, Any]:
    """Return the declaration as data; a parameter that is required lacks its `default`."""
    parameters: list[dict[str, Any]] = [{"name": each.name, "type": each.type} for each in operation.parameters]
    for data, each in zip(parameters, operation.parameters, strict=True):
        if each.default is not REQUIRED:
            data["default"] = each.default
    finds = {"finds": operation.finds} if operation.finds else {}
    return finds | {
        "name": operation.name,
        "parameters": parameters,
        "fields": [{"name": each.name, "items": each.items} for each in operation.fields],
        "summary": operation.summary,
        "effect": operation.effect,
        "subject": operation.subject,
        "json_field": operation.json_field,
        "drawn_as_tree": operation.drawn_as_tree,
        "exit_field": operation.exit_field,
    }


def operation_of(data: dict[str, Any]) -> Operation:
    """Return the declaration that `data` holds. Raises `ValueError`, `KeyError` or `TypeError` where it holds none."""
    return Operation(
        name=data["name"],
        parameters=tuple(
            Parameter(each["name"], each["type"], each.get("default", REQUIRED)) for each in data["parameters"]
        ),
        fields=tuple(ResultField(each["name"], tuple(each["items"])) for each in data["fields"]),
        summary=data["summary"],
        effect=Effect(data["effect"]),
        subject=data["subject"],
        json_field=data["json_field"],
        drawn_as_tree=data["drawn_as_tree"],
        exit_field=data.get("exit_field", ""),
        finds=data.get("finds", ""),
    )
