"""What a player does in a task: the calls that the benchmark's authors call right, and the answer.

`Play([PlayedCall("send_money", {"recipient": "DE89", "amount": 50})], answer="Done.")`

The other modules whose names end in `_plays` make plays of public benchmarks. Each needs the package
of its benchmark, which may be missing.
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
    """The right calls and the right answer of one task, and those that an injection asks for.

    An *injection* is a text in the data of the task, such as a mail, that gives the model orders.
    """

    calls: list[PlayedCall]
    answer: str = ""
    injected_calls: list[PlayedCall] = field(default_factory=list)
    injected_answer: str = ""


def plain(value: Any) -> Any:
    """Return a value as plain JSON data, without the benchmark's own types."""
    return json.loads(json.dumps(value))
