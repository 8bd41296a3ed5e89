"""Keeps what the calls of a trial returned, for the benchmark's checks of its answer.

Such a check can tell by the results which files support the answer: if `due_date(loan="l-7")` has
returned `2031-05-02` from `/loans/l-7.json`, an answer with this day needs this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from controlplane.agent.exoskeleton.initial_results import InitialResult
from controlplane.sandbox.interface import Effect, Operation, Plain

# What a function of the benchmark has returned, for the checks of the model's answer.
#
# A function computes a value from files, and names the files that support it. For
# `due_date(loan="l-7")`:
#
#     {"value": "2031-05-02", "refs": [{"path": "/loans/l-7.json", "reason": "the loan"}]}
#         -> FunctionResult("due_date", refs=[{...}], texts={"value": "2031-05-02"})


@dataclass(frozen=True, slots=True)
class _CalledFunction:
    """The result of one call of a function."""

    function: str
    """Its name: `due_date`."""
    refs: Plain
    """The files that support the result, with reasons."""
    texts: dict[str, str]
    """The texts in its value by name. If the value is a text itself, its name is `value`."""

    @classmethod
    def of(cls, function: str, result: Mapping[str, Plain]) -> _CalledFunction:
        """Return the result of a call of this function."""
        value = result.get("value")
        fields = value if isinstance(value, dict) else {"value": value}
        texts = {name: text for name, text in fields.items() if isinstance(text, str)}
        return cls(function, result.get("refs", []), texts)


@dataclass(slots=True)
class Findings:
    """The results of functions, and the texts of files that were read.

    `due_date(loan="l-7")` adds to `results`, and `read("/docs/fees.md")` to `texts`.
    """

    results: list[_CalledFunction] = field(default_factory=list)
    """The results of functions, in order."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts of the files, by path, in order."""

    @classmethod
    def of(cls, initial_results: Iterable[InitialResult]) -> Findings:
        """Return the texts of the files that the start of a conversation shows."""
        texts: dict[str, str] = {}
        for initial in initial_results:
            if initial.operation.effect is Effect.READS and initial.text:
                texts[initial.subject] = initial.text
        return cls(texts=texts)

    def add(
        self,
        operation: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the result of a call, if it is one of a function, or the text of a file.

        due_date(loan="l-7") -> {"value": "2031-05-02", "refs": [...]}    in `results`
        read(path="/docs/fees.md") -> {"content": "A lost book ..."}      in `texts`
        """
        if operation.is_function:
            self.results.append(_CalledFunction.of(operation.name, result))
        elif operation.effect is Effect.READS:
            # The operation declares which argument has the path, and which field the text.
            path = str(result.get("path") or arguments.get(operation.subject))
            self.texts[path] = str(result.get(operation.json_field, ""))

    def as_json(self) -> str:
        """Return a list as JSON: the results of functions, and last the paths of all files.

        [{"function": "due_date", ...}, {"opened": ["/docs/fees.md"]}]
        """
        results = [asdict(result) for result in self.results]
        return json.dumps([*results, {"opened": list(self.texts)}])
