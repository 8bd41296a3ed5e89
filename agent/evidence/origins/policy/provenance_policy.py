"""The user's setting `--provenance`: what happens to a call with an untrusted value.

A value is *untrusted* if only running text has it, such as a mail, whose author may want to trick
the model. With `ask,send_money=block`, the call `send_money(recipient="GB33...")` is then never sent.
Any other call that may change something is held until the model makes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.sandbox.interface import Operation, Plain

MODES: Final = ("ask", "block", "strict", "approve", "off")
"""What happens to a call with an untrusted value:

- `ask`: it is not sent until the model makes the same call again.
- `block`: it is never sent.
- `strict`: it is never sent, and values that no text contains are untrusted, too.
- `approve`: the user decides.
- `off`: it is sent.
"""


@dataclass(frozen=True, slots=True)
class ProvenancePolicy:
    """The setting, as `parse_policy` reads it."""

    default_mode: str = "off"
    """The mode of all operations that have no mode of their own."""
    modes: Mapping[str, str] = field(default_factory=dict)
    """The modes of some operations: `{"send_money": "block"}`."""
    trusted: frozenset[str] = frozenset()
    """Operations whose results are trusted, as fields of data are."""
    deciding_arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The only arguments of an operation whose origins matter, such as a mail's recipient."""
    lookup_arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The arguments by which an operation looks up a record, such as an id. If
    `get_user(id="u7")` finds a user, `u7` is trusted from then on."""
    approve: Callable[[str], bool] | None = None
    """Asks the user to approve a call that the text describes. None if nobody can be asked."""

    @property
    def is_on(self) -> bool:
        """True if origins matter to at least one operation."""
        if self.default_mode != "off":
            return True
        return any(mode != "off" for mode in self.modes.values())

    def mode_of(self, operation: str) -> str:
        """Return the mode for calls of an operation."""
        return self.modes.get(operation, self.default_mode)

    def trusts(self, operation: Operation) -> bool:
        """Return True if all results of an operation are trusted."""
        return operation.is_trusted or operation.name in self.trusted

    def lookup_arguments_of(self, operation: Operation) -> tuple[str, ...]:
        """Return the arguments by which an operation looks up a record; most have none."""
        # How a tool works is a fact, so its declaration comes before the user's setting.
        return operation.keys or self.lookup_arguments.get(operation.name, ())

    def deciding_arguments_of(
        self, operation: Operation, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments of a call whose origins matter; all if none are named."""
        # What matters is the user's choice, so the setting comes before the declaration.
        names = self.deciding_arguments.get(operation.name, ()) or operation.telling
        if not names:
            return dict(arguments)
        return {name: arguments.get(name) for name in names}
