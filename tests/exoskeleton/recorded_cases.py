"""Cases: what another solver for the shop was recorded to do. This project should do the same.

The other solver was studied, and its behaviour has no other description than these cases. Each line of
the file names a *part* of the solver, what goes in, and what comes out:

    {"part": "words", "input": {"text": "3pc"}, "expect": {"words": "3 pc"}, "note": "test: ..."}

A function of the folder `parts` gives what this project makes of the input, and `differences` compares.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.exoskeleton.answering_functions import ANSWERING_FUNCTIONS, output_of_project

CASES_FILE = Path(__file__).parents[3] / "shared" / "exoskeleton" / "cases-dev.jsonl"
"""The file of cases. It is not part of the repository."""


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


def differences(case: Case) -> list[str]:
    """Return in what this project differs from a case: `["words is '3pc', not '3 pc'"]`.

    The key `message_holds` has parts of a message whose other words are free. Under all other
    keys, the values have to be equal.
    """
    output = output_of_project(case.part, case.input)
    texts: list[str] = []
    for key, expected in case.expect.items():
        if key == "message_holds":
            for part in expected:
                if part not in output["message"]:
                    texts.append(f"{part!r} is not in {output['message']!r}")
        elif output.get(key) != expected:
            texts.append(f"{key} is {output.get(key)!r}, not {expected!r}")
    return texts
