"""The rule-based player, which shows what a run looks like without a model.

It plays the part of a model: it gets messages and replies with turns, which have a script. It
selects a rule by the words of the request. In the first turn, the rule's script makes a
decision with the functions of `harness.tools`. In the second turn, another script acts on
it and answers. Most requests have no rule; the player answers that they are unsupported.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from controlplane.agent.model import Model, ModelError, ModelRequest, Reply
from controlplane.benchmarks.ecom.request_rules import rule_of

MAX_REJECTED_ANSWERS: Final = 3
"""After so many rejected answers, the player gives up. Until then it repeats its answer."""


class Player(Model):
    """A `Model` with fixed rules. It has no state: its reply depends only on the messages."""

    name = "baseline"

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the next turn as JSON text. Raises `ModelError` after too many rejections.

        The first user message has the request. Each further one has the result of a script,
        or says why an answer was rejected; then the player answers again in the same way.
        """
        user_texts = []
        for message in request.messages:
            if message["role"] == "user":
                user_texts.append(message["content"])
        first_message, *later_messages = user_texts
        rejections = sum(_is_rejection(text) for text in later_messages)
        if rejections >= MAX_REJECTED_ANSWERS:
            msg = (
                f"the answer of the rule-based player was sent back {rejections} times"
            )
            raise ModelError(msg, retryable=False)

        instruction = _instruction_in(first_message)
        rule = rule_of(instruction)
        if later_messages:
            turn = _last_turn(rule)
        else:
            turn = _first_turn(rule, instruction)
        return Reply(text=json.dumps(turn))


def _first_turn(rule: str, instruction: str) -> dict[str, Any]:
    """Return the turn whose script makes a decision and stores it."""
    return {
        "state": f"rule-based player, rule {rule}: decide",
        "plan": ["decide", "act and answer"],
        "code": first_script(rule, instruction),
        "done": False,
    }


def _last_turn(rule: str) -> dict[str, Any]:
    """Return the turn whose script acts on the stored decision and answers."""
    return {
        "state": f"rule-based player, rule {rule}: act and answer",
        "plan": [],
        "code": scripts()["conclude"],
        "done": True,
    }


def _is_rejection(text: str) -> bool:
    """Return True if a message reports that an answer was rejected by the gates (its checks).

    Such a message has a line like `GateRejection: cite /docs/x.md`.
    """
    return any(line.startswith("GateRejection: ") for line in text.split("\n"))


def _instruction_in(first_message: str) -> str:
    """Return the instruction at the end of the first message, or the message if it has no marks.

    The initial prompt of a trial ends with `<instruction>`, the instruction, and
    `</instruction>`, each in lines of its own.
    """
    marked = first_message.removesuffix("\n").partition("<instruction>\n")[2]
    if not marked.endswith("\n</instruction>"):
        return first_message
    return marked.removesuffix("</instruction>").strip()


def first_script(rule: str, instruction: str) -> str:
    """Return the script that makes a rule's decision and stores it for the next turn.

    It begins with the request, `REQUEST = 'Check basket-17 out.'`, which the rule's part reads.
    """
    parts = scripts()
    script = "\n\n\n".join([parts["shared"], parts[rule], parts["decide"]])
    return f"REQUEST = {instruction!r}\n\n\n{script}"


@cache
def scripts() -> dict[str, str]:
    """Return the scripts by name: one for each rule, and the shared ones."""
    text = (files(__package__) / "player_scripts.txt").read_text("utf-8")
    scripts_by_name = {}
    for part in text.split("# === ")[1:]:
        name, _, script = part.partition("\n")
        scripts_by_name[name] = script.strip("\n") + "\n"
    return scripts_by_name
