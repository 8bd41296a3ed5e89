"""Messages as a trial shows them, made by hand, and what a reply of the player holds."""

import ast
import json
from collections.abc import Mapping
from typing import Any

from agent.model import Message
from benchmarks.ecom.player import Player

RULES = """# Operations workspace

- Products: `/proc/wares`. Branches with their stock: `/proc/shops`. Baskets: `/proc/carts`.
- Payments: `/proc/paid`. Returns: `/proc/back`. Staff: `/proc/crew`.
- Policies: `/docs`. Tools: `/bin`.

- A yes/no question is answered with exactly `oui` for yes or `non` for no, as the whole message.
"""
DOCUMENTS = {
    "/AGENTS.MD": RULES,
    "/docs/security.md": "# Security\n\n1. `/bin/id` alone says who is asking.\n",
    "/docs/checkout.md": "# Baskets and checkout\n\nA customer buys a basket while it is `active`.\n",
    "/docs/stock.md": "# Stock\n\nAvailable today = on_hand minus reserved.\n",
}
CUSTOMER = {"value": {"user": "cust-7", "roles": ["customer"], "is": "customer"}, "refs": {}}
LAYOUT = {
    "value": {
        "roots": {"product": "/proc/wares", "branch": "/proc/shops", "basket": "/proc/carts", "payment": "/proc/paid"},
        "policies": {"security": "/docs/security.md", "checkout": "/docs/checkout.md", "stock": "/docs/stock.md"},
        "open_state": "active",
        "yes": "oui",
        "no": "non",
    },
    "refs": {},
}


def opening(instruction: str) -> list[Message]:
    """Return the messages of turn one."""
    sections = "".join(f'<section title="read {path}">\n{text}\n</section>\n\n' for path, text in DOCUMENTS.items())
    told = f"{sections}It can be cited.\n\n<instruction>\n{instruction}\n</instruction>\n"
    return [Message(role="system", content="You solve one task."), Message(role="user", content=told)]


def values(messages: list[Message]) -> dict[str, Any]:
    """Return the values that the player's next script works on, by name."""
    reply = json.loads(Player().complete(messages, "solve").text)
    assert set(reply) == {"state", "plan", "done", "code"}
    assigned = (each for each in ast.parse(reply["code"]).body if isinstance(each, ast.Assign))
    return {
        each.targets[0].id: ast.literal_eval(each.value)
        for each in assigned
        if isinstance(each.targets[0], ast.Name) and each.targets[0].id.isupper()
    }


def answered(messages: list[Message], *, printed: str = "", after: str = "") -> list[Message]:
    """Return the messages with the player's next reply and what came of it."""
    reply = Player().complete(messages, "solve").text
    step = sum(1 for message in messages if message["role"] == "assistant") + 1
    came = f'<output step="{step}">\n{printed}\n</output>\n{after}'
    return [*messages, Message(role="assistant", content=reply), Message(role="user", content=came)]


def played(messages: list[Message], found: Mapping[str, Any]) -> list[Message]:
    """Let the player look until nothing is left to look up; `found` has a result for the first value of a lookup."""
    for _ in range(8):
        lookups = values(messages).get("LOOKUPS")
        if lookups is None:
            return messages
        lines = [json.dumps({"lookup": lookup, "found": found.get(next(iter(lookup.values())))}) for lookup in lookups]
        messages = answered(messages, printed="\n".join(lines))
    msg = "the player never stops looking"
    raise AssertionError(msg)
