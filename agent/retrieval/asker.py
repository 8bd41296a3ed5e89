"""The user who asks, as a tool of the environment prints it.

The environment declares the tool, and the keys in its output:
`RecordOwners(tool="/bin/whoami", user_key="user", roles_key="roles", ...)`. For the output

    user: u-17
    roles: [clerk, buyer]

this is `Asker(user="u-17", roles={"clerk", "buyer"})`.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.sandbox.interface import RecordOwners


@dataclass(frozen=True, slots=True)
class Asker:
    """The user who asks."""

    user: str = ""
    """The user's id, `u-17`; empty if the tool printed none."""
    roles: frozenset[str] = frozenset()
    """The user's roles in lower case, such as `clerk`."""


def asks_who(owners: RecordOwners, call: CallUnderWay) -> bool:
    """Return True if a call runs the tool that prints who asks: `exec(path="/bin/whoami")`."""
    return owners.tool in call.call.arguments.values()


def asker_of(owners: RecordOwners, output: str) -> Asker:
    """Return the user who asks, from the output of the tool. Keys may be in any case."""
    values: dict[str, str] = {}
    for line in output.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            values[key.strip().casefold()] = value.strip()
    user = values.get(owners.user_key.casefold(), "")
    listed_roles = values.get(owners.roles_key.casefold(), "").strip("[]").casefold()
    roles = {role.strip(" '\"") for role in listed_roles.split(",")}
    return Asker(user, frozenset(roles - {""}))
