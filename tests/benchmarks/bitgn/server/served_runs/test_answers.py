"""Answers that a client gives to the server: one without a known outcome is refused.

The server offers a benchmark's tasks to agents over HTTP, in the protocol of the platform BitGN.
An answer has an outcome, such as `OUTCOME_OK`, which says whether the task could be solved.
`RIGHT_ANSWER_FIELDS` are the fields of a right answer:
`{"message": "Emma", "outcome": "OUTCOME_OK", ...}`.
"""

import pytest

from tests.benchmarks.bitgn.raw_client import RawClient
from tests.benchmarks.bitgn.shelf_contents import RIGHT_ANSWER_FIELDS


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="missing"),
        pytest.param({"outcome": "OUTCOME_UNSPECIFIED"}, id="unspecified"),
        pytest.param({"outcome": 0}, id="number of unspecified"),
        pytest.param({"outcome": 77}, id="unknown number"),
        pytest.param({"outcome": "OUTCOME_FINE"}, id="unknown name"),
    ],
)
def test_answer_without_a_known_outcome_is_refused_and_may_be_given_again(
    client: RawClient, fields: dict[str, object]
) -> None:
    runtime_url = client.start_trial(client.start_run()["trialIds"][0])

    refusal = client.runtime(runtime_url, "Answer", message="Emma", **fields)
    accepted = client.runtime(runtime_url, "Answer", **RIGHT_ANSWER_FIELDS)

    assert refusal["code"] == "invalid_argument"
    assert accepted == {}
