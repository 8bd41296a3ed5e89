"""The setting `--provenance`: what happens to a changing call with an untrusted value.

A changing call may change something. An untrusted value is only in running text, such
as the body of a mail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.policy_setting import SettingPart
from controlplane.sandbox.interface import Operation


@dataclass(frozen=True, slots=True)
class ProvenancePolicy:
    """The parsed setting. It says what happens to a changing call with an untrusted value."""

    modes: Mapping[str, str] = field(default_factory=dict)
    """One of `MODES` (see `policy_setting.py`) by operation. The empty name stands for all operations that are
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
        """Return the policy of a setting, whose parts have one of the `FORMS` of `policy_setting.py`.

        Raises `ValueError`.

        Example: `ask,send_money=block,get_iban=trusted,send_money=only:recipient`. A
        setting that names no mode for all operations means `ask`.
        """
        modes = {"": "ask"}
        trusted = set[str]()
        telling: dict[str, tuple[str, ...]] = {}
        keys: dict[str, tuple[str, ...]] = {}
        for part_text in filter(None, map(str.strip, text.split(","))):
            part = SettingPart.parse(part_text)
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
