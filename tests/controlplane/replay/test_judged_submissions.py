"""The submissions of a journal are reconstructed exactly as they were judged."""

from pathlib import Path

import pytest

from agent.events.trial_events import SubmissionJudged
from controlplane.replay.judged_submissions import submissions_of
from tests.support.command import ROOT
from tests.support.in_process_command import inside
from tests.support.recorded_events import read_events


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of the scripted trial whose first answers are rejected."""
    runs = tmp_path_factory.mktemp("runs")
    model = ("--model", "scripted:docs/examples/rejection.toml")
    assert inside("run", "calendar-date.1", *model, "--runs-dir", runs, cwd=ROOT).code == 0
    return next(runs.glob("*.jsonl"))


def recorded(journal: Path) -> list[SubmissionJudged]:
    return [event for event in read_events(journal) if isinstance(event, SubmissionJudged)]


def test_every_submission_is_regained_with_its_verdicts(journal: Path) -> None:
    regained = list(submissions_of(journal))
    known = recorded(journal)
    assert [each.judgement.accepted for each in regained] == [each.judged.accepted for each in known]
    assert regained[-1].judgement.accepted
    assert not regained[0].judgement.accepted
    for now, then in zip(regained, known, strict=True):
        assert [(verdict.gate, verdict.result, verdict.reason) for verdict in now.judgement.verdicts] == [
            (verdict.gate, verdict.result, verdict.reason) for verdict in then.judged.verdicts
        ]
        assert (now.step, now.submission.answer_text) == (then.step, then.judged.answer)
