"""What happens to a changing call with a value that is in running text alone: the setting `--provenance`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.evidence import nearest
from controlplane.sandbox.interface import ToolSchema

MODES: Final = ("ask", "block", "strict", "approve", "off")
"""The call is held once; it is never sent; neither is one with a value that is nowhere; the user decides; it is sent."""
FORMS: Final = (
    *MODES,
    "OPERATION=MODE",
    "OPERATION=trusted",
    "OPERATION=only:ARG+ARG",
    "OPERATION=keys:ARG+ARG",
)


@dataclass(frozen=True, slots=True)
class ProvenancePolicy:
    """What happens to a changing call with a value that is in running text alone."""

    modes: Mapping[str, str] = field(default_factory=dict)
    """One of `MODES` by operation, that of all others under an empty name; none: `off`."""
    trusted: frozenset[str] = frozenset()
    """Operations whose results are data, whatever their form."""
    telling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By operation, the only arguments that matter."""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By operation, the arguments by which it looks a record up: one that was found makes them values of a record."""
    approve: Callable[[str], bool] | None = None
    """Asks the user about a call, by the message; None if nobody can be asked."""

    @classmethod
    def parse(cls, text: str, approve: Callable[[str], bool] | None = None) -> ProvenancePolicy:
        """Return the policy in a setting such as `ask,send_money=block,get_iban=trusted,send_money=only:recipient`.
        Raises `ValueError`."""
        modes = {"": "ask"}
        trusted = set[str]()
        telling: dict[str, tuple[str, ...]] = {}
        keys: dict[str, tuple[str, ...]] = {}
        for part in text.split(","):
            part = part.strip()
            operation, equals, value = part.rpartition("=")
            kind, _, names = value.partition(":")
            arguments = tuple(names.split("+"))
            if not part:
                continue
            if not equals and value in MODES:
                modes[""] = value
            elif operation and value in MODES:
                modes[operation] = value
            elif operation and value == "trusted":
                trusted.add(operation)
            elif operation and kind == "only" and all(arguments):
                telling[operation] = arguments
            elif operation and kind == "keys" and all(arguments):
                keys[operation] = arguments
            else:
                msg = f"{part!r} is none of {', '.join(FORMS)}{_nearest_hint(value, MODES)}"
                raise ValueError(msg)
        return cls(modes, frozenset(trusted), telling, keys, approve)

    @property
    def is_on(self) -> bool:
        """True if origins matter to any operation."""
        return any(mode != "off" for mode in self.modes.values())

    def mode_of(self, operation: str) -> str:
        """Return the mode for calls of an operation."""
        return self.modes.get(operation, self.modes.get("", "off"))

    def check_names(self, tool_schema: ToolSchema) -> None:
        """Check that an environment declares the operations and arguments that the setting names.

        Raises `ValueError` with the unknown name, and the nearest that is known.
        """
        parameters: dict[str, list[str]] = {}
        for operation in tool_schema.operations:
            parameters[operation.name] = [parameter.name for parameter in operation.parameters]
        named = [*self.modes, *self.trusted, *self.telling, *self.keys]
        for operation_name in filter(None, named):
            if operation_name not in parameters:
                hint = _nearest_hint(operation_name, parameters)
                msg = f"there is no operation {operation_name!r}{hint}"
                raise ValueError(msg)
        for operation_name, arguments in (*self.telling.items(), *self.keys.items()):
            for argument in arguments:
                if argument not in parameters[operation_name]:
                    hint = _nearest_hint(argument, parameters[operation_name])
                    msg = f"{operation_name} has no argument {argument!r}{hint}"
                    raise ValueError(msg)


def _nearest_hint(name: str, known_names: Iterable[str]) -> str:
    """Return the known name that is most like another, as a question; empty if there is none."""
    near_name = nearest(name, known_names)
    return f"; did you mean {near_name!r}?" if near_name else ""
