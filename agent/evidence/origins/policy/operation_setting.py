"""A part of the setting `--provenance` that is about one operation, such as `send_money=block`.

The setting says what happens to a call such as `send_money(recipient="GB33...")` if one of
its values is untrusted: only running text has it, such as a mail.

| part | meaning |
|---|---|
| `send_money=block` | such a call is never sent (see `MODES`) |
| `get_iban=trusted` | all values that the operation returns are trusted |
| `send_money=only:recipient+amount` | only the values of these arguments matter |
| `get_user=keys:id` | the operation looks up a record by `id`; an id that it finds is trusted |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.origins.policy.policy_names import nearest_hint
from controlplane.agent.evidence.origins.policy.provenance_policy import MODES

FORMS: Final = (
    *MODES,
    "OPERATION=MODE",
    "OPERATION=trusted",
    "OPERATION=only:ARG+ARG",
    "OPERATION=keys:ARG+ARG",
)
"""The forms of a part of the setting, as error messages show them."""


@dataclass(frozen=True, slots=True)
class OperationSetting:
    """One part of the setting: `send_money=only:recipient+amount`."""

    operation: str
    """`send_money`"""
    kind: str
    """One of `MODES`, `trusted`, `only` or `keys`."""
    arguments: tuple[str, ...] = ()
    """The arguments after `only` or `keys`: `("recipient", "amount")`."""

    @classmethod
    def parse(cls, text: str) -> OperationSetting:
        """Return the part that a text has. Raises `ValueError` for any other text.

        The message of the error lists all `FORMS`, also a mode without an operation.
        """
        operation, _, value = text.rpartition("=")
        kind, _, names = value.partition(":")
        arguments = tuple(names.split("+"))

        if operation and value in (*MODES, "trusted"):
            return cls(operation, value)
        if operation and kind in ("only", "keys") and all(arguments):
            return cls(operation, kind, arguments)
        msg = f"{text!r} is none of {', '.join(FORMS)}{nearest_hint(value, MODES)}"
        raise ValueError(msg)
