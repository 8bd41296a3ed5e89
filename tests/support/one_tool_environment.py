"""Environments of trials that keep the answers of the agent, and may have one tool.

    world = OneToolEnvironment(LOOKUP, compute=lambda arguments: {"number": 17})
    world.call("lookup", {"name": "ada"})     # {"number": 17}

An environment is what an agent finds in a trial: files or tools.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from controlplane.sandbox.interface import Operation, Plain, ToolSchema


class AnswerKeeper:
    """The part of an environment that keeps the answers; it has no clock."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, str]] = []
        """All answers so far, as message and outcome: `("17", "OUTCOME_OK")`."""

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append((message, outcome))

    def now(self) -> None:
        return None


class OneToolEnvironment(AnswerKeeper):
    """An environment with one operation, which `compute` computes from its arguments.

    Each call takes `delay_s` seconds.
    """

    def __init__(
        self,
        operation: Operation,
        compute: Callable[[Mapping[str, Plain]], dict[str, Plain]],
        delay_s: float = 0.0,
    ) -> None:
        super().__init__()
        self.tool_schema = ToolSchema(operations=(operation,))
        self.compute = compute
        self.delay_s = delay_s

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        time.sleep(self.delay_s)
        return self.compute(arguments)
