"""A call that changes a large file takes no more memory to look up if it has many arguments.

All values that were read in the file count as data in each argument of the call.
"""

import tracemalloc

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallLookup
from controlplane.sandbox.interface import FILE_OPERATIONS, Plain, ToolSchema
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


def peak_bytes_of_lookup(argument_count: int) -> int:
    """Return the most memory for the look-up of a `write` with so many arguments to a large file."""
    tool_schema = ToolSchema(operations=FILE_OPERATIONS)
    write = tool_schema.operation("write")
    assert write is not None
    texts = TextsOfTrial()
    texts.add_file("/ids.md", "\n".join(f"id-{number}" for number in range(2_000)))
    lookup = CallLookup(texts.provenance, EvidenceLog(tool_schema))
    arguments: dict[str, Plain] = {"path": "/ids.md"}
    for number in range(argument_count):
        arguments[f"line_{number}"] = f"id-{number}"
    lookup.find(write, arguments, arguments)  # The file is indexed now.

    tracemalloc.start()
    try:
        lookup.find(write, arguments, arguments)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak_bytes


def test_each_argument_of_a_call_shares_the_values_of_the_changed_file() -> None:
    assert peak_bytes_of_lookup(50) < 2 * peak_bytes_of_lookup(1)
