"""The run goes on if calls of a trial reach nobody for a short time, or the benchmark answers.

`["unavailable", "not_found"]` are the codes of the errors with which two calls fail, one after the
other. Each call takes 2 s, and the run bears an outage of 3 s: one call, but not two in a row.

    unavailable                             nobody was reached: the outage begins or lasts
    not_found, permission_denied, SUCCESS   the benchmark has answered: the outage is over
    internal, unknown                       tell nothing: an outage lasts, but none begins
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
