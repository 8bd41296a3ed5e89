"""The control plane's messages in every form that proto3 JSON allows."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from benchmarks.bitgn.client.messages import (
    RUN_EVALUATED,
    RUN_PENDING,
    TRIAL_DONE,
    BenchmarkReply,
    ScoredRun,
    ScoredTrial,
)


@pytest.mark.parametrize(
    ("sent", "read"), [(2, RUN_PENDING), (3, RUN_EVALUATED), (RUN_PENDING, RUN_PENDING), (17, "17")]
)
def test_a_state_is_read_from_its_name_or_its_number(sent, read):
    assert ScoredRun.model_validate({"state": sent}).state == read


def test_the_state_of_a_trial_and_the_policy_are_read_from_their_numbers():
    assert ScoredTrial.model_validate({"state": 3}).state == TRIAL_DONE
    assert BenchmarkReply.model_validate({"policy": 1}).policy == "EVAL_POLICY_BLIND"


def test_null_stands_for_a_default():
    reply = ScoredRun.model_validate(
        {"runId": "r", "state": None, "score": None, "trials": [{"trialId": "t", "error": None, "scoreDetail": None}]}
    )
    assert (reply.state, reply.trials[0].error, reply.trials[0].score_detail) == ("", "", ())


def test_trials_without_a_list_are_no_trials():
    assert ScoredRun.model_validate({"trials": None}).trials == ()


@pytest.mark.parametrize("sent", ["NaN", "Infinity", 1e300])
def test_a_score_that_is_no_number_is_not_known(sent):
    assert ScoredTrial.model_validate({"score": sent, "scoreAvailable": True}).known_score is None


def test_what_is_no_state_is_refused():
    with pytest.raises(ValidationError):
        ScoredRun.model_validate({"state": ["RUN_STATE_EVALUATED"]})
