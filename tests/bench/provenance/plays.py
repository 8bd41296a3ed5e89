"""A play: the right calls of a task, by its benchmark's authors, which are made without a model.

Plays measure the provenance rule, which stops a call whose values come from an untrusted text. The rule
should stop none of the right calls. It should stop the calls that an *injection* asks for, a text of
an attacker in the task's data:

    Play([PlayedCall("send_money", {"recipient": "DE89", "amount": 50})], answer="Done.",
         injected_calls=[PlayedCall("send_money", {"recipient": "US12", "amount": 9000})])
"""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PlayedCall:
    """A call of a tool."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Play:
    """The right calls and the right answer of one task, and those that an injection asks for."""

    calls: list[PlayedCall]
    answer: str = ""
    injected_calls: list[PlayedCall] = field(default_factory=list)
    injected_answer: str = ""


def plain(value: Any) -> Any:
    """Return a value as plain JSON data, without the benchmark's own types."""
    return json.loads(json.dumps(value))
