"""Cases: recorded behaviour of another solver for the shop. This project should behave alike.

Each line of the file of cases names a *part* of the other solver, what goes in, and what comes out:

    {"part": "words", "input": {"text": "3pc"}, "expect": {"words": "3 pc"}, "note": "test: ..."}

A function of this project answers the cases of a part. It takes the input by its keys:

    @answers_part("words")
    def normalize_words(text: str) -> Output:
        return {"words": normal_words(text)}
"""

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES_FILE = Path(__file__).parents[3] / "shared" / "exoskeleton" / "cases-dev.jsonl"
"""The file of cases. It is not part of the repository."""

Output = dict[str, Any]
"""What this project gives for an input, with the keys of the case's `expect`."""

Function = Callable[..., Output]
"""A function that takes the input of a case by its keys, and returns what this project gives."""

ANSWERING_FUNCTIONS: dict[str, Function] = {}
"""The function that answers the cases of a part, by the part's name."""


def answers_part(part: str) -> Callable[[Function], Function]:
    """Let the decorated function answer the cases of a part."""

    def register(function: Function) -> Function:
        ANSWERING_FUNCTIONS[part] = function
        return function

    return register


@dataclass(frozen=True)
class Case:
    """A line of the file of cases."""

    part: str
    input: dict[str, Any]
    expect: dict[str, Any]
    note: str
    """Where the case is from: "test: ..." from a test of the other solver, "probe: ..." from a
    trial call of it, of which nobody knows whether the result is right."""

    @property
    def is_probe(self) -> bool:
        return self.note.startswith("probe")

    @property
    def is_required(self) -> bool:
        """True if the behaviour is known to be right, and not marked as optional."""
        return "optional:" not in self.note and not self.is_probe


def cases() -> list[Case]:
    """Return the cases of all parts that a function answers; none if there is no file of cases."""
    if not CASES_FILE.exists():
        return []
    found: list[Case] = []
    for line in CASES_FILE.read_text(encoding="utf-8").splitlines():
        case = Case(**json.loads(line))
        if case.part in ANSWERING_FUNCTIONS:
            found.append(case)
    return found


def output_of_project(case: Case) -> Output:
    """Return what the function for the case's part gives for its input.

    An input may have more keys than the function has parameters. They are left out.
    """
    function = ANSWERING_FUNCTIONS[case.part]
    names = inspect.signature(function).parameters
    arguments = {name: value for name, value in case.input.items() if name in names}
    return function(**arguments)


def differences(case: Case) -> list[str]:
    """Return in what this project differs from a case: `["words is '3pc', not '3 pc'"]`.

    The key `message_holds` has parts of a message whose other words are free. Under all other
    keys, the values have to be equal.
    """
    output = output_of_project(case)
    texts: list[str] = []
    for key, expected in case.expect.items():
        if key == "message_holds":
            for part in expected:
                if part not in output["message"]:
                    texts.append(f"{part!r} is not in {output['message']!r}")
        elif output.get(key) != expected:
            texts.append(f"{key} is {output.get(key)!r}, not {expected!r}")
    return texts
