"""Wrong answers to a request for a table in a file: a wrong table, or another file.

    table_export_mistakes(truth)  # {"no header": writes(...), "a row missing": writes(...), ...}

The right answer writes the table, and its message is the path of the file.
"""

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Answer,
    Mistakes,
    ReferenceClient,
    Solution,
)


def table_export_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a request for a table in a file: a wrong table, or another file.

    `truth.for_tests` has the path of the file: `{"path": "/exports/stock.csv"}`.
    """
    right_path = truth.for_tests["path"]
    right_text = truth.changes[right_path] or ""
    lines = right_text.splitlines(keepends=True)
    swapped_separators = right_text.translate({ord("\t"): ",", ord(","): "\t"})

    def writes(text: str, *, path: str = right_path) -> Solution:
        """Return a solution that writes this text, and says that the right file has it."""

        def solution(client: ReferenceClient, truth: TaskTruth) -> Answer:
            client.write(path, text)
            return client.answer(truth, right_path)

        return solution

    mistakes: Mistakes = {
        "a row missing": writes("".join(lines[:-1])),
        "a total": writes(f"{right_text}TOTAL,0\n"),
        "no header": writes("".join(lines[1:])),
        "commas": writes(swapped_separators),
        "a blank too many": writes(f"{right_text[:-1]} \n"),
        "another path": writes(right_text, path=f"{right_path}.csv"),
    }
    if truth.exact_ends:
        mistakes["no newline at the end"] = writes(right_text.removesuffix("\n"))
    return mistakes
