"""Reads the text of the setting `--provenance`, such as `block,pay=ask,pay=only:to`.

It says what happens to a call that may change something if one of its values is untrusted:
only running text has it, such as a mail. Its parts are separated by commas:

| part of the setting | field of the policy |
|---|---|
| `block` | `default_mode="block"` |
| `pay=ask` | `modes={"pay": "ask"}` |
| `get_iban=trusted` | `trusted={"get_iban"}` |
| `pay=only:to+amount` | `deciding_arguments={"pay": ("to", "amount")}` |
| `get_user=keys:id` | `lookup_arguments={"get_user": ("id",)}` |
"""

from __future__ import annotations

from collections.abc import Callable

from controlplane.agent.evidence.origins.policy.operation_setting import (
    OperationSetting,
)
from controlplane.agent.evidence.origins.policy.provenance_policy import (
    MODES,
    ProvenancePolicy,
)


def parse_policy(
    text: str, approve: Callable[[str], bool] | None = None
) -> ProvenancePolicy:
    """Return the policy of a setting. Raises `ValueError` for a text that is not one.

    If the setting has no mode for all operations, it is `ask`. `approve` asks the user
    about a call, and returns True if the user approves it.
    """
    default_mode = "ask"
    modes: dict[str, str] = {}
    trusted = set[str]()
    deciding_arguments: dict[str, tuple[str, ...]] = {}
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
                deciding_arguments[part.operation] = part.arguments
            case "keys":
                lookup_arguments[part.operation] = part.arguments
            case _:  # The kind is a mode: `pay=ask`.
                modes[part.operation] = part.kind
    return ProvenancePolicy(
        default_mode,
        modes,
        frozenset(trusted),
        deciding_arguments,
        lookup_arguments,
        approve,
    )
