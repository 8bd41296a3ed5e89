"""Keeps what the calls of a trial returned, for the benchmark's checks of its answer.

Such a check can tell by the results which files support the answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from controlplane.agent.events import ConversationOpened
from controlplane.agent.exoskeleton.initial_results import initial_results
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema


@dataclass(slots=True)
class Findings:
    """The results of functions, and the texts of files that were read.

    `due_date(loan="l-7")` adds to `results`, and `read("/docs/fees.md")` to `texts`. A file
    has no entry in `results`, but `as_json` adds a list of all files at the end.
    """

    results: list[dict[str, Plain]] = field(default_factory=list)
    """The results of functions, in order: `{"function": "due_date", "refs": [...],
    "texts": {"value": "2031-05-02"}}`. `refs` are the files that support a result."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files, by path, in order."""

    def take_opening(
        self, opening: ConversationOpened, tool_schema: ToolSchema
    ) -> None:
        """Keep the texts of the files that the start of the conversation shows."""
        for initial in initial_results(opening, tool_schema):
            operation = initial.operation
            if operation.effect is Effect.READS and initial.text:
                # `subject` names the argument that has the path.
                path = str(initial.arguments.get(operation.subject))
                self.texts[path] = initial.text

    def add(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the result of a call: of a function, which computes something, or of a read."""
        if operation.is_function:
            finding: dict[str, Plain] = {
                "function": operation.name,
                "refs": result.get("refs", []),
                "texts": _texts_in(result.get("value")),
            }
            self.results.append(finding)
        elif operation.effect is Effect.READS:
            # `subject` names the argument that has the path, and `json_field` the field of the
            # result that has the text of the file.
            path = str(result.get("path") or arguments.get(operation.subject))
            self.texts[path] = str(result.get(operation.json_field, ""))

    def as_json(self) -> str:
        """Return the results as JSON, and last the files: `[..., {"opened": ["/docs/fees.md"]}]`."""
        return json.dumps([*self.results, {"opened": list(self.texts)}])


def _texts_in(value: Plain) -> dict[str, Plain]:
    """Return the texts in a function's value by name: `"x"` -> `{"value": "x"}`."""
    fields = value if isinstance(value, dict) else {"value": value}
    return {name: text for name, text in fields.items() if isinstance(text, str)}
