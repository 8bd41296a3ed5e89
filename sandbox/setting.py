"""What a sandbox tells its child once, before the first step: the calls, the limits, the walls, the pinned world."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sandbox.host import Limits
from sandbox.operations import REQUIRED, Operation, Parameter, Plain
from sandbox.walls import Wall


@dataclass(frozen=True, slots=True)
class Setting:
    """The first message, both ways."""

    operations: tuple[Operation, ...]
    limits: Limits
    now_us: int
    """Microseconds since 1970 in UTC."""
    seed: int
    walls: frozenset[Wall]

    def message(self) -> list[Plain]:
        """Return the setting as a message."""
        return [
            "setting",
            {
                "operations": [_declared(each) for each in self.operations],
                "limits": asdict(self.limits),
                "now_us": self.now_us,
                "seed": self.seed,
                "walls": [each.value for each in sorted(self.walls)],
            },
        ]


def read_setting(message: list[Any]) -> Setting:
    """Return the setting of a message that the parent made."""
    given = message[1]
    return Setting(
        operations=tuple(_operation(each) for each in given["operations"]),
        limits=Limits(**given["limits"]),
        now_us=given["now_us"],
        seed=given["seed"],
        walls=frozenset(Wall(each) for each in given["walls"]),
    )


def _declared(operation: Operation) -> dict[str, Plain]:
    parameters: list[Plain] = []
    for each in operation.parameters:
        entry: dict[str, Plain] = {"name": each.name, "type": each.type}
        if each.default is not REQUIRED:
            entry["default"] = each.default  # type: ignore[assignment]
        parameters.append(entry)
    return {
        "name": operation.name,
        "parameters": parameters,
        "summary": operation.summary,
        "json_field": operation.json_field,
        "drawn_as_tree": operation.drawn_as_tree,
    }


def _operation(given: dict[str, Any]) -> Operation:
    return Operation(
        name=given["name"],
        parameters=tuple(Parameter(p["name"], p["type"], p.get("default", REQUIRED)) for p in given["parameters"]),
        fields=(),
        summary=given["summary"],
        json_field=given["json_field"],
        drawn_as_tree=given["drawn_as_tree"],
    )
