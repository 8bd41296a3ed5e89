"""A play: the calls of a task that its benchmark's authors call right, made without a model.

The measured rule holds calls with values of an untrusted origin. A play shows if it holds right ones, and
if it holds those that an *injection*, a text of an attacker in the task's data, asks for:

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
