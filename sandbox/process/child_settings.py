"""The first message to a child, before any step: the calls, the limits, the walls, the pinned clock and seed."""

from typing import Any, NamedTuple

from sandbox.interface.limits import Limits
from sandbox.interface.operation_json import operation_data, operation_of
from sandbox.interface.operations import Operation, Plain
from sandbox.interface.walls import Wall


class Setting(NamedTuple):
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
                "operations": [operation_data(each) for each in self.operations],
                "limits": self.limits._asdict(),
                "now_us": self.now_us,
                "seed": self.seed,
                "walls": [each.value for each in sorted(self.walls)],
            },
        ]


def read_setting(message: list[Any]) -> Setting:
    """Return the setting of a message that the parent made."""
    given = message[1]
    return Setting(
        operations=tuple(operation_of(each) for each in given["operations"]),
        limits=Limits(**given["limits"]),
        now_us=given["now_us"],
        seed=given["seed"],
        walls=frozenset(Wall(each) for each in given["walls"]),
    )
