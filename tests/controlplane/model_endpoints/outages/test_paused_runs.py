"""A model endpoint that stays down pauses a run, and `resume` continues it.

A run makes a refused request again for as long as `--model-patience` says. Then it pauses, so that no
trial is lost. Here the endpoint serves some requests of nine trials, and then refuses all: "503:
overloaded". A trial makes two requests.
"""

from pathlib import Path

from controlplane.errors import Unreachable
from tests.controlplane.model_endpoints.failing_endpoints import (
    overloaded,
    responding_until,
)
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.controlplane.model_endpoints.trial_results import scores_of
from tests.support.command import run_in_process


def test_an_endpoint_that_stays_down_pauses_the_run(tmp_path: Path) -> None:
    """It serves nine requests, so that at most four trials can be finished. The run asks again
    for a second (`--model-patience 1`), and pauses, so that the others can still be played."""
    with phonebook_endpoint(
        tmp_path, responding_until(9, failure=overloaded)
    ) as endpoint:
        paused = endpoint.command(
            *PHONEBOOK_RUN, "--repeats", "3", "--json", "--model-patience", "1"
        )

    assert paused.code == Unreachable.exit_code, paused.err
    assert "the run is paused" in paused.err
    assert "503: overloaded" in paused.err
    assert "--model-patience" in paused.err
    assert not paused.json["submitted"]
    open_trials = [
        trial
        for trial in paused.json["trials"]
        if trial["state"] in ("open", "waiting")
    ]
    assert len(open_trials) >= 5
    for trial in open_trials:
        assert trial["score"] is None
        assert not trial["outcome"]


def test_a_paused_run_is_finished_by_resume_once_the_endpoint_is_up(
    tmp_path: Path,
) -> None:
    with phonebook_endpoint(
        tmp_path, responding_until(9, failure=overloaded)
    ) as endpoint:
        endpoint.command(*PHONEBOOK_RUN, "--repeats", "3", "--model-patience", "1")

        resumed_too_early = endpoint.command("resume", "last")
        assert resumed_too_early.code == Unreachable.exit_code
        assert "503: overloaded" in resumed_too_early.err

        endpoint.recover()
        resumed = endpoint.command("resume", "last", "--json")

    assert resumed.code == 0, resumed.err
    assert scores_of(resumed) == [1.0] * 9
    replayed = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    assert replayed.code == 0, replayed.err
