"""Reads the lines in which the public grader named the fault of an answer.

answer missing required reference '/docs/security.md'
-> missing_reference(line) == "/docs/security.md"

answer refs for family "/proc/carts" mismatch: missing [], extra [/proc/carts/basket-1.json]
-> WrongRecords.in_line(line) == WrongRecords("basket", missing_count=0, extra_count=1)
"""

import re
from typing import Final, NamedTuple

from tests.benchmarks.ecom.recorded.record_kinds import kind_of

RECORD_PATH: Final = re.compile(r"/(?:proc|uploads|storage)/[^'\",\]]+")
"""Finds the path of a record in a line: `/proc/carts/basket-1.json`."""
MISSING_REFERENCE: Final = re.compile(r"missing required reference '(.*)'")
WRONG_RECORDS: Final = re.compile(
    r"answer refs for family .* mismatch: missing \[(.*?)\], extra \[(.*?)\]"
)


def missing_reference(line: str) -> str:
    """Return the path that an answer should have cited; empty if the line names another fault."""
    match = MISSING_REFERENCE.search(line)
    return match[1] if match else ""


class WrongRecords(NamedTuple):
    """How many records of one kind an answer lacks, and how many it should not have cited."""

    kind: str
    missing_count: int
    extra_count: int

    @classmethod
    def in_line(cls, line: str) -> "WrongRecords | None":
        """Return the wrong records that a line lists, or None if it names another fault.

        `... missing [/proc/carts/basket-2.json], extra []` -> `WrongRecords("basket", 1, 0)`
        """
        match = WRONG_RECORDS.match(line)
        if match is None:
            return None
        missing_paths = RECORD_PATH.findall(match[1])
        extra_paths = RECORD_PATH.findall(match[2])
        first_path = [*missing_paths, *extra_paths][0]
        return cls(kind_of(first_path), len(missing_paths), len(extra_paths))


def without_record_paths(line: str) -> str:
    """Return a line with `..` for each record, so that the same fault reads alike in all worlds."""
    return RECORD_PATH.sub("..", line)
