"""The parts of the setting `--provenance`, such as `send_money=only:recipient+amount`.

The setting says what happens to a call such as `send_money(recipient="GB33...")` if one of
its values is untrusted: only running text has it, such as a mail. Its parts, separated by
commas, are:

| part | meaning |
|---|---|
| `block` | the mode of all operations (see `MODES`) |
| `send_money=block` | the mode of one operation |
| `get_iban=trusted` | all values that the operation returns are trusted |
| `send_money=only:recipient+amount` | only the values of these arguments matter |
| `get_user=keys:id` | the operation looks up a record by `id`; an id that it finds is trusted |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.gates.paths import nearest

MODES: Final = ("ask", "block", "strict", "approve", "off")
"""What happens to a call with an untrusted value:

- `ask`: it is not sent until the model makes the same call again.
- `block`: it is never sent.
- `strict`: it is never sent, and values that no text contains are untrusted, too.
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
"""The forms of a part of the setting, as error messages show them."""


@dataclass(frozen=True, slots=True)
class OperationSetting:
    """A part of the setting about one operation, such as `send_money=only:recipient+amount`."""

    operation: str
    """`send_money`"""
    kind: str
    """One of `MODES`, `trusted`, `only` or `keys`."""
    arguments: tuple[str, ...] = ()
    """The arguments after `only` or `keys`: `("recipient", "amount")`."""

    @classmethod
    def parse(cls, text: str) -> OperationSetting:
        """Return a part that begins with an operation. Raises `ValueError` for any other.

        | part | `operation` | `kind` | `arguments` |
        |---|---|---|---|
        | `pay=block` | `pay` | `block` | |
        | `get_iban=trusted` | `get_iban` | `trusted` | |
        | `pay=only:to+amount` | `pay` | `only` | `to`, `amount` |

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


def nearest_hint(name: str, known_names: Iterable[str]) -> str:
    """Return a question that suggests the most similar known name; empty if there is none."""
    near_name = nearest(name, known_names)
    return f"; did you mean {near_name!r}?" if near_name else ""
