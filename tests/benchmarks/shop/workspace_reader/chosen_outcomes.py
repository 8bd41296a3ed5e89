"""A harness, by which functions make calls to a shop, whose outcomes the test has chosen.

harness = HarnessWithOutcomes({("read", "/a.md"): {"content": "text"}})
WorkspaceReader(harness).read("/a.md")  # "text"
harness.batches                         # [["read"]]
"""

from collections.abc import Mapping, Sequence
from typing import Any


class HarnessWithOutcomes:
    """Answers each call with an outcome, by its operation and first argument.

    An outcome is a result or a `CallError`. A list has one for each time that the call is made.
    """

    def __init__(self, outcomes: Mapping[tuple[str, str], Any]) -> None:
        self.known = ()  # The trial has made no calls before.
        self.executables = {"/bin/id": "who is signed in"}
        self.outcomes = outcomes
        self.batches: list[list[str]] = []
        """The operations of the calls that were made together: `[["read", "read"], ["exec"]]`."""

    def side_by_side(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Any]:
        """Return the outcomes of calls such as `[("read", {"path": "/a.md"})]`."""
        self.batches.append([operation for operation, _ in calls])
        results = []
        for operation, arguments in calls:
            first_argument, *_ = arguments.values()
            outcome = self.outcomes[operation, first_argument]
            if isinstance(outcome, list):
                outcome = outcome.pop(0)
            results.append(outcome)
        return results
