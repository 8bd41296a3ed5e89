"""The rule-based player: shows what a run looks like without a model, and has no rule for most requests.

It chooses a rule by the words of the request. The rule's script decides in the first turn with the functions of
`harness.tools`; the script of the second turn acts and answers. A request without a rule is answered as unsupported.
The player imports nothing of the benchmark around it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Final

from agent.model import Model, ModelError, ModelRequest, Reply

MOST_TIMES: Final = 3
"""Times that the player gives its answer: it repeats the answer after two objections; a third is final."""
RULES: Final = (
    (
        r"<!--|</?\|?\w*(?:system|instruction|patch)|\[\[|(?m:^\s*(?:---|>))|\bBEGIN [A-Z ]+\b|(?m:^# )"
        r"|\bsystem (?:message|override)|\b(?:ignore|disregard|forget)\b[^.]{0,40}\b(?:rules?|instructions?|polic\w+)",
        "block",
    ),
    (r"\b(?:ticket|case for|channel|courier|pickup|shipment|slack|sms|whatsapp|crm|issue in)\b", "other_system"),
    (r"\bdiscount\b|\bpercent\b|\d+ ?%|\bissuer\b", "discount"),
    (r"\bhow many\b.*\b(?:staff|people|employees)\b|\bcount\b.*\bemployees\b", "staff_count"),
    (r"\bverif\w+ of\b|\bverification\b|\bbank\b|\bchallenge\b|\brefund", "owned"),
    (r"e-?mail|phone number|contact details|work address", "contact"),
    (r"\bfraud\w*\b", "fraud"),
    (r"\bdispatch\b|/ops/", "dispatch"),
    (r"\bcross-?list\b|\bexport\b", "export"),
    (r"\breceipts?\b|/uploads/|\blast upload\b", "receipt"),
    (r"\b(?:delete|remove|empty|clean|clear)\b.*/tmp/|/tmp/.*\b(?:delete|remove)\b", "delete"),
    (r"\bbranches\b.*\bopen\b|\bopen branches\b", "open_branches"),
    (r"\bYYYY\b", "date"),
    (r"^(?!.*basket[-_]\d).*(?:\bbaskets?\b.*\b(?:put|add)\b|\b(?:put|add|one of)\b.*\bbasket)|`", "other_system"),
    (r"check(?: \w+){0,3} out|check-?out|\bbuy\b.*\bbasket|\bpurchase\b|\border\b|\bbasket[-_]\d+", "basket"),
)
"""Patterns of a request, each with the name of a script; the first that matches decides."""


class Player(Model):
    """A `Model` of deterministic rules. It keeps no state between calls: every reply follows from the messages."""

    name = "baseline"

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the next turn as JSON text `{state, plan, done, code}`. Raises `ModelError` if no answer is left."""
        said = [message["content"] for message in request.messages if message["role"] == "user"]
        if sum(f"\n{text}".count("\nGateRejection: ") > 0 for text in said[1:]) >= MOST_TIMES:
            msg = f"the answer of the rule-based player was sent back {MOST_TIMES} times"
            raise ModelError(msg, retryable=False)
        asked = said[0].removesuffix("\n").partition("<instruction>\n")[2]
        is_marked = asked.endswith("\n</instruction>")
        instruction = asked.removesuffix("</instruction>").strip() if is_marked else said[0]
        rule = rule_of(instruction)
        if len(said) == 1:
            turn = (
                f"rule-based player, rule {rule}: decide",
                ["decide", "act and answer"],
                first_script(rule, instruction),
            )
        else:
            turn = (f"rule-based player, rule {rule}: act and answer", [], scripts()["conclude"])
        return Reply(text=json.dumps(dict(zip(("state", "plan", "code"), turn, strict=True)) | {"done": len(said) > 1}))


def rule_of(instruction: str) -> str:
    """Return the name of the rule that decides on an instruction."""
    fitting = (name for pattern, name in RULES if re.search(f"(?is){pattern}", instruction))
    return next(fitting, "other_system")


def first_script(rule: str, instruction: str) -> str:
    """Return the script that decides by a rule and keeps the decision for the next turn."""
    parts = scripts()
    return f"REQUEST = {instruction!r}\n\n\n" + "\n\n\n".join((parts["shared"], parts[rule], parts["decide"]))


@cache
def scripts() -> dict[str, str]:
    """Return the scripts by name."""
    text = (files(__package__) / "player_scripts.txt").read_text("utf-8")
    parts = (part.partition("\n") for part in text.split("# === ")[1:])
    return {name: script.strip("\n") + "\n" for name, _, script in parts}
