"""The setting `--provenance`: what happens to a changing call with an untrusted value.

A *changing* call may change something: `send_money(recipient="GB33...")`. Its value is
*untrusted* if only running text has it, such as a mail, whose author may want to trick the
model. With `ask,send_money=block`, this call is never sent. A changing call of any other
operation is held until the model makes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.policy_setting import (
    MODES,
    OperationSetting,
)
from controlplane.sandbox.interface import Operation


@dataclass(frozen=True, slots=True)
class ProvenancePolicy:
    """The parsed setting. It says what happens to a changing call with an untrusted value.

    | part of the setting | field |
    |---|---|
    | `block` | `default_mode="block"` |
    | `pay=ask` | `modes={"pay": "ask"}` |
    | `get_iban=trusted` | `trusted={"get_iban"}` |
    | `pay=only:to+amount` | `telling={"pay": ("to", "amount")}` |
    | `get_user=keys:id` | `lookup_arguments={"get_user": ("id",)}` |
    """

    default_mode: str = "off"
    """What happens to such a call, if its operation has no mode of its own: `ask` holds it until
    the model repeats it, `block` and `strict` never send it, `approve` asks the user, and `off`
    sends it."""
    modes: Mapping[str, str] = field(default_factory=dict)
    """The modes of single operations."""
    trusted: frozenset[str] = frozenset()
    """Operations whose results count as data, whatever their form."""
    telling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By operation, its *telling* arguments: the only ones whose origins matter, such as the
    recipient of a mail."""
    lookup_arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By operation, the arguments by which it looks up a record, such as an id. If
    `get_user(id="u7")` finds a user, `u7` is trusted from then on."""
    approve: Callable[[str], bool] | None = None
    """Asks the user to approve a call that the text describes. None if nobody can be asked."""

    @classmethod
    def parse(
        cls, text: str, approve: Callable[[str], bool] | None = None
    ) -> ProvenancePolicy:
        """Return the policy of a setting: `block,pay=ask,pay=only:to`. Raises `ValueError`.

        If the setting has no mode for all operations, it is `ask`.
        """
        default_mode = "ask"
        modes: dict[str, str] = {}
        trusted = set[str]()
        telling: dict[str, tuple[str, ...]] = {}
        lookup_arguments: dict[str, tuple[str, ...]] = {}
        for part_text in filter(None, map(str.strip, text.split(","))):
            if part_text in MODES:
                default_mode = part_text
                continue
            part = OperationSetting.parse(part_text)
            match part.kind:
                case "trusted":
                    trusted.add(part.operation)
                case "only":
                    telling[part.operation] = part.arguments
                case "keys":
                    lookup_arguments[part.operation] = part.arguments
                case _:  # The kind is a mode: `pay=ask`.
                    modes[part.operation] = part.kind
        return cls(
            default_mode,
            modes,
            frozenset(trusted),
            telling,
            lookup_arguments,
            approve,
        )

    @property
    def is_on(self) -> bool:
        """True if origins matter to at least one operation."""
        return any(mode != "off" for mode in (self.default_mode, *self.modes.values()))

    def mode_of(self, operation: str) -> str:
        """Return the mode for calls of an operation."""
        return self.modes.get(operation, self.default_mode)

    def trusts(self, operation: Operation) -> bool:
        """Return True if all results of an operation count as data."""
        return operation.is_trusted or operation.name in self.trusted

    def lookup_arguments_of(self, operation: Operation) -> tuple[str, ...]:
        """Return the arguments by which an operation looks up a record; most have none.

        How a tool works is a fact, so its declaration comes before the user's setting.
        """
        return operation.keys or self.lookup_arguments.get(operation.name, ())

    def telling_of(
        self, operation: Operation, arguments: Iterable[str]
    ) -> tuple[str, ...]:
        """Return the arguments of a call whose origins matter; all if none are named.

        What matters is the user's choice, so the setting comes before the declaration.
        """
        named = self.telling.get(operation.name, ()) or operation.telling
        return named or tuple(arguments)

    @property
    def named_operations(self) -> list[str]:
        """The operations that the setting names."""
        return [*self.modes, *self.trusted, *self.telling, *self.lookup_arguments]
