"""Parses the setting `--provenance`: what happens to a changing call with an untrusted value.

A changing call may change something. An untrusted value is only in running text, such
as the body of a mail.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.paths import nearest
from controlplane.sandbox.interface import Operation

MODES: Final = ("ask", "block", "strict", "approve", "off")
"""What happens to a call with an untrusted value:

- `ask`: it is not sent until the model makes the same call again.
- `block`: it is never sent.
- `strict`: like `block`, also for values that no text contains.
- `approve`: the user decides.
- `off`: it is sent.
"""
FORMS: Final = (
    *MODES,
    "OPERATION=MODE",
    "OPERATION=trusted",
    "OPERATION=only:ARG+ARG",
    "OPERATION=keys:ARG+ARG",
)
"""The forms of a part of the setting, such as `block` or `send_money=only:to+amount`."""


@dataclass(frozen=True, slots=True)
class ProvenancePolicy:
    """The parsed setting. It says what happens to a changing call with an untrusted value."""

    modes: Mapping[str, str] = field(default_factory=dict)
    """One of `MODES` by operation. The empty name stands for all operations that are
    not named. If it has no mode, as in `ProvenancePolicy()`, their mode is `off`."""
    trusted: frozenset[str] = frozenset()
    """Operations whose results count as data, whatever their form."""
    telling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By operation, its *telling* arguments: the only ones
    whose origins matter, such as the recipient of a message."""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By operation, the arguments by which it looks up a record, such as an id. If it
    finds the record, the values of these arguments count as values of a record."""
    approve: Callable[[str], bool] | None = None
    """Asks the user to approve a call that the text describes. None if nobody can be asked."""

    @classmethod
    def parse(
        cls, text: str, approve: Callable[[str], bool] | None = None
    ) -> ProvenancePolicy:
        """Return the policy of a setting, whose parts have the `FORMS`.

        Raises `ValueError`.

        Example: `ask,send_money=block,get_iban=trusted,send_money=only:recipient`. A
        setting that names no mode for all operations means `ask`.
        """
        modes = {"": "ask"}
        trusted = set[str]()
        telling: dict[str, tuple[str, ...]] = {}
        keys: dict[str, tuple[str, ...]] = {}
        for part_text in filter(None, map(str.strip, text.split(","))):
            part = _Part.parse(part_text)
            match part.kind:
                case "trusted":
                    trusted.add(part.operation)
                case "only":
                    telling[part.operation] = part.arguments
                case "keys":
                    keys[part.operation] = part.arguments
                case mode:
                    modes[part.operation] = mode
        return cls(modes, frozenset(trusted), telling, keys, approve)

    @property
    def is_on(self) -> bool:
        """True if origins matter to at least one operation."""
        return any(mode != "off" for mode in self.modes.values())

    def mode_of(self, operation: str) -> str:
        """Return the mode for calls of an operation."""
        return self.modes.get(operation, self.modes.get("", "off"))

    def trusts(self, operation: Operation) -> bool:
        """Return True if all results of an operation count as data."""
        return operation.is_trusted or operation.name in self.trusted

    def keys_of(self, operation: Operation) -> tuple[str, ...]:
        """Return the arguments by which an operation looks up a record."""
        return operation.keys or self.keys.get(operation.name, ())

    def telling_of(self, operation: Operation) -> tuple[str, ...]:
        """Return the telling arguments of an operation; empty if all are."""
        return self.telling.get(operation.name, ()) or operation.telling

    @property
    def named_operations(self) -> list[str]:
        """The operations that the setting names."""
        names = [*self.modes, *self.trusted, *self.telling, *self.keys]
        return [name for name in names if name]

    def fault_of_names(self, parameters: Mapping[str, Collection[str]]) -> str:
        """Return a message about the first undeclared name in the setting; empty if there is none.

        `parameters` are the declared argument names by operation. The message
        suggests the nearest declared name: `there is no operation 'send_mony';
        did you mean 'send_money'?`
        """
        for operation in self.named_operations:
            if operation not in parameters:
                hint = _nearest_hint(operation, parameters)
                return f"there is no operation {operation!r}{hint}"
        for operation, arguments in (*self.telling.items(), *self.keys.items()):
            for argument in arguments:
                if argument not in parameters[operation]:
                    hint = _nearest_hint(argument, parameters[operation])
                    return f"{operation} has no argument {argument!r}{hint}"
        return ""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the setting, such as `send_money=only:to+amount`."""

    operation: str
    """Empty for a mode of all operations."""
    kind: str
    """One of `MODES`, `trusted`, `only` or `keys`."""
    arguments: tuple[str, ...] = ()
    """The arguments after `only` or `keys`."""

    @classmethod
    def parse(cls, text: str) -> _Part:
        """Return a part of one of the `FORMS`. Raises `ValueError`."""
        if text in MODES:
            return cls("", text)
        operation, _, value = text.rpartition("=")
        kind, _, names = value.partition(":")
        arguments = tuple(names.split("+"))

        if operation and value in (*MODES, "trusted"):
            return cls(operation, value)
        if operation and kind in ("only", "keys") and all(arguments):
            return cls(operation, kind, arguments)
        msg = f"{text!r} is none of {', '.join(FORMS)}{_nearest_hint(value, MODES)}"
        raise ValueError(msg)


def _nearest_hint(name: str, known_names: Iterable[str]) -> str:
    """Return a question that suggests the most similar known name; empty if there is none."""
    near_name = nearest(name, known_names)
    return f"; did you mean {near_name!r}?" if near_name else ""
