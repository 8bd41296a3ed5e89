"""A `harness`, the object by which scripts make calls, whose calls return what a test has chosen.

look = Operation("look", parameters=(), fields=(ResultField("paths"),), summary="look")
harness = harness_with(look, RecordedCalls([{"paths": ["/a.md"]}]))
harness.look().paths  # ["/a.md"]
"""

from dataclasses import dataclass, field
from typing import Any

from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.interface import Operation


@dataclass
class RecordedCalls:
    """Returns results in turn, one for each call, and records the named arguments of the calls."""

    results: list[dict[str, Any]]
    named_arguments: list[dict[str, Any]] = field(default_factory=list)

    def call(
        self, operation: str, positional: list[Any], named: dict[str, Any]
    ) -> dict[str, Any]:
        self.named_arguments.append(named)
        return self.results.pop(0)


def harness_with(operation: Operation, calls: RecordedCalls) -> Any:
    """Return a harness with one operation, as a method: `harness.look()` for `look`."""

    def answer(scratchpad: object, verify: object) -> None:
        """Take the answer of a script; these tests submit none."""

    return build_harness((operation,), calls.call, answer)
