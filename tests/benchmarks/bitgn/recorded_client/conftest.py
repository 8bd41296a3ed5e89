"""Calls that scripts have made on the real platform (BitGN), with its replies."""

import gzip
import json

import pytest

from tests.benchmarks.bitgn.recorded_calls import RECORD, RecordedCall


@pytest.fixture(scope="session")
def recorded_calls() -> list[RecordedCall]:
    """All recorded calls that succeeded, with their replies. They are beside the repository.

    Those of `tree` are left out, since the record has only texts that were made of their replies.
    """
    if not RECORD.exists():
        pytest.skip("the recorded trials are not on this machine")
    calls: list[RecordedCall] = []
    with gzip.open(RECORD, "rt") as lines:
        for line in lines:
            for operation, arguments, reply in json.loads(line)["calls"]:
                if operation != "tree" and "error" not in reply:
                    calls.append(RecordedCall(operation, arguments, reply))
    return calls
