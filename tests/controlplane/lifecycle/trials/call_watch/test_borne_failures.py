"""The run goes on if calls of a trial reach nobody for a short time, or the benchmark answers.

`["unavailable", "not_found"]` are the codes of the errors with which two calls fail, one after the
other. Each call takes 2 s, and 3 s of outage are borne. A benchmark that answers "there is no such
file" (`not_found`) can be reached, so that the outage before it is over.
"""

import pytest

from tests.controlplane.lifecycle.trials.call_watch.watched_calls import (
    MakeCall,
    pauses_after,
    read_file,
    submit_answer,
)
from tests.controlplane.lifecycle.trials.failing_environment import SUCCESS


@pytest.mark.parametrize("make_call", [read_file, submit_answer])
@pytest.mark.parametrize(
    "codes",
    [
        pytest.param(["unavailable"], id="a single call that reached nobody"),
        pytest.param(
            ["unavailable", SUCCESS, "unavailable"],
            id="a success between two such calls",
        ),
        pytest.param(
            ["unavailable", "not_found", "unavailable"],
            id="an answer between two such calls",
        ),
        pytest.param(
            ["permission_denied", "internal", "unknown"],
            id="failures that the benchmark reported",
        ),
    ],
)
def test_the_run_goes_on_if_outages_are_short_or_the_benchmark_answers(
    codes: list[str], make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pauses_after(codes, make_call, monkeypatch) == []
