"""A trial's page is asked for while the server has read only the beginning of the journal.

The server reads a journal in slices of `SLICE_S` seconds, at least one event each. When a trial's
page is asked for, it reads further slices for `READING_TRIAL_S` seconds.
"""

from pathlib import Path

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from controlplane.report.server import addressed_runs
from controlplane.report.server import watched_run as journal_reading
from controlplane.report.server.addressed_runs import AddressedRuns
from controlplane.report.server.watched_folder import WatchedFolder
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial


def request_of(anchor: str) -> Request:
    """Return the request of a page about one trial of the run `a`, such as `trial-1-2`: of the
    first run of the page, the second trial."""
    return Request({"type": "http", "path_params": {"runs": "a", "anchor": anchor}})


def test_a_trial_that_is_not_read_yet_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server asks the browser to come again (503). Once it has read all, it finds the trial."""
    journal_of_trials(tmp_path / "a.jsonl", [ReportedTrial("alpha")])
    addressed = AddressedRuns(WatchedFolder(tmp_path))

    # 1. The server has read a slice of one event, and the page reads nothing more.
    monkeypatch.setattr(journal_reading, "SLICE_S", -1.0)
    monkeypatch.setattr(addressed_runs, "READING_TRIAL_S", 0.0)
    addressed.run("a").advance()  # reads a slice
    with pytest.raises(HTTPException) as early:
        addressed.trial(request_of("trial-1-1"))

    # 2. The page has the time to read the whole journal.
    monkeypatch.setattr(journal_reading, "SLICE_S", 60.0)
    monkeypatch.setattr(addressed_runs, "READING_TRIAL_S", 60.0)
    _, trial = addressed.trial(request_of("trial-1-1"))
    with pytest.raises(HTTPException) as missing:
        addressed.trial(request_of("trial-1-2"))

    assert early.value.status_code == 503
    assert trial.trial_id.startswith("alpha")
    assert missing.value.status_code == 404
