"""The user's setting `--provenance`: what happens to a call with an untrusted value.

`parse_policy("ask,pay=block")` returns the `ProvenancePolicy` of the setting. A trial's names of
operations and arguments are not known then, so `fault_of_names` checks them later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from controlplane.gates.paths import nearest
from controlplane.sandbox.interface import Operation, Plain

# The user's setting `--provenance`: what happens to a call with an untrusted value.
#
# A value is *untrusted* if only running text has it, such as a mail, whose author may want to trick
# the model. With `ask,send_money=block`, the call `send_money(recipient="GB33...")` is then never sent.
# Any other call that may change something is held until the model makes it again.

_MODES: Final = ("ask", "block", "strict", "approve", "off")
"""What happens to a call with an untrusted value:

- `ask`: it is not sent until the model makes the same call again.
- `block`: it is never sent.
- `strict`: it is never sent, and values that no text contains are untrusted, too.
- `approve`: the user decides.
- `off`: it is sent.
"""

ApproveCall: TypeAlias = Callable[[str], bool | None]
"""Shows the user a text that describes a call, and returns True if the user approves the call.
False if the user refuses it, and None if nobody could be asked, as without a terminal."""


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
    approve: ApproveCall | None = None
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


# Checks the names of operations and arguments in the setting `--provenance`.
#
# With `--provenance send_mony=block`, the operation `send_money` would not be blocked. So a
# name that the trial's environment does not declare is refused.


def fault_of_names(
    policy: ProvenancePolicy, parameters: Mapping[str, Collection[str]]
) -> str:
    """Return a message about the first undeclared name in the setting; empty if there is none.

    `parameters` are the declared argument names by operation. The message suggests the
    nearest declared name: `there is no operation 'send_mony'; did you mean 'send_money'?`
    """
    for operation in named_operations(policy):
        if operation not in parameters:
            hint = _nearest_hint(operation, parameters)
            return f"there is no operation {operation!r}{hint}"
    # From here on, all operations of the setting are declared.
    named_arguments = [
        *policy.deciding_arguments.items(),
        *policy.lookup_arguments.items(),
    ]
    for operation, arguments in named_arguments:
        for argument in arguments:
            if argument not in parameters[operation]:
                hint = _nearest_hint(argument, parameters[operation])
                return f"{operation} has no argument {argument!r}{hint}"
    return ""


def named_operations(policy: ProvenancePolicy) -> list[str]:
    """Return the operations that the setting names."""
    return [
        *policy.modes,
        *policy.trusted,
        *policy.deciding_arguments,
        *policy.lookup_arguments,
    ]


def _nearest_hint(name: str, known_names: Iterable[str]) -> str:
    """Return a question that suggests the most similar known name; empty if there is none."""
    near_name = nearest(name, known_names)
    return f"; did you mean {near_name!r}?" if near_name else ""


# A part of the setting `--provenance` that is about one operation, such as `send_money=block`.
#
# The setting says what happens to a call such as `send_money(recipient="GB33...")` if one of
# its values is untrusted: only running text has it, such as a mail.
#
# | part | meaning |
# |---|---|
# | `send_money=block` | such a call is never sent (see `_MODES`) |
# | `get_iban=trusted` | all values that the operation returns are trusted |
# | `send_money=only:recipient+amount` | only the values of these arguments matter |
# | `get_user=keys:id` | the operation looks up a record by `id`; an id that it finds is trusted |

_FORMS: Final = (
    *_MODES,
    "OPERATION=MODE",
    "OPERATION=trusted",
    "OPERATION=only:ARG+ARG",
    "OPERATION=keys:ARG+ARG",
)
"""The forms of a part of the setting, as error messages show them."""


# Reads the text of the setting `--provenance`, such as `block,pay=ask,pay=only:to`.
#
# It says what happens to a call that may change something if one of its values is untrusted:
# only running text has it, such as a mail. Its parts are separated by commas:
#
# | part of the setting | field of the policy |
# |---|---|
# | `block` | `default_mode="block"` |
# | `pay=ask` | `modes={"pay": "ask"}` |
# | `get_iban=trusted` | `trusted={"get_iban"}` |
# | `pay=only:to+amount` | `deciding_arguments={"pay": ("to", "amount")}` |
# | `get_user=keys:id` | `lookup_arguments={"get_user": ("id",)}` |


def parse_policy(text: str, approve: ApproveCall | None = None) -> ProvenancePolicy:
    """Return the policy of a setting. Raises `ValueError` for a text that is not one.

    The message of the error lists all `_FORMS`. If the setting has no mode for all operations, it is
    `ask`. `approve` asks the user
    about a call, and returns True if the user approves it.
    """
    default_mode = "ask"
    modes: dict[str, str] = {}
    trusted = set[str]()
    deciding_arguments: dict[str, tuple[str, ...]] = {}
    lookup_arguments: dict[str, tuple[str, ...]] = {}
    for part_text in filter(None, map(str.strip, text.split(","))):
        if part_text in _MODES:
            default_mode = part_text
            continue
        operation, _, value = part_text.rpartition("=")
        kind, _, names = value.partition(":")
        arguments = tuple(names.split("+"))
        if operation and value in _MODES:
            modes[operation] = value
        elif operation and value == "trusted":
            trusted.add(operation)
        elif operation and kind == "only" and all(arguments):
            deciding_arguments[operation] = arguments
        elif operation and kind == "keys" and all(arguments):
            lookup_arguments[operation] = arguments
        else:
            forms = ", ".join(_FORMS)
            hint = _nearest_hint(value, _MODES)
            msg = f"{part_text!r} is none of {forms}{hint}"
            raise ValueError(msg)
    return ProvenancePolicy(
        default_mode,
        modes,
        frozenset(trusted),
        deciding_arguments,
        lookup_arguments,
        approve,
    )
