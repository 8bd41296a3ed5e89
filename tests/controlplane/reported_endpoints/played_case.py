"""The run of one trial against an endpoint that replies as in a recorded case.

    @plays("c30-empty-cost-limit")
    def test_a_limit_of_costs_counts_empty_replies(played: PlayedCase) -> None:
        assert len(played.requests) == 1

The fixture `played` (in conftest.py) plays the case. The functions below check how a run ended.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from controlplane.errors import Unreachable
from tests.support.command import CommandResult

OK = 0
"""The exit code of a run that was not stopped."""


@dataclass
class PlayedCase:
    """The run of one trial in which a case was played."""

    situation: str
    """What happens, in words. This and `right` are only printed if the test fails."""
    right: str
    """What the product should do, in words: `run paused, exit 3, 'key is refused'`."""
    result: CommandResult
    requests: list[dict[str, Any]]
    """The bodies of the requests to the model, in order."""
    events: list[dict[str, Any]]
    """The lines of the run's journal."""

    @property
    def trial(self) -> dict[str, Any]:
        """The trial as the run printed it: `{"state": "answered", "score": 1.0, ...}`."""
        return self.result.json["trials"][0]

    @property
    def printed(self) -> str:
        """All that the user is told, on standard output and standard error."""
        return self.result.out + self.result.err

    @property
    def notices(self) -> str:
        """What the journal tells the user about the endpoint, one notice a line."""
        texts = [event["text"] for event in self.events if event["type"] == "notice"]
        return "\n".join(texts)

    @property
    def summary(self) -> str:
        """The case and its result, for messages of failed tests."""
        return (
            f"{self.situation}: right is {self.right!r}; exit {self.result.code}, "
            f"{len(self.requests)} requests: {self.printed[-1500:]} {self.notices}"
        )


# --- Which case a test plays ---


def plays(*case_names: str) -> pytest.MarkDecorator:
    """Mark a test that gets each of these cases as its argument `played`, one after the other."""
    return pytest.mark.parametrize("played", case_names, indirect=True)


def plays_each(table: Mapping[str, object], column: str) -> pytest.MarkDecorator:
    """Mark a test that plays each case of a table, and gets the case's value as `column`.

    `@plays_each({"a22-br": ["br"]}, "words")`: the test has the arguments `played` and `words`.
    """
    return pytest.mark.parametrize(
        ("played", column), table.items(), indirect=["played"]
    )


# --- How a case may end ---


def check_solved(played: PlayedCase, *, max_requests: int) -> None:
    """Assert that the reply was read, and the trial solved."""
    assert played.result.code == OK, played.summary
    assert played.trial["score"] == 1.0, played.summary
    assert played.trial["steps"] >= 1, played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_paused(played: PlayedCase, *words: str, max_requests: int = 10) -> None:
    """Assert that the run paused: nothing is scored, and the user is told all of `words`.

    `controlplane resume` continues such a run, once the endpoint or its settings are right.
    """
    assert played.result.code == Unreachable.exit_code, played.summary
    assert played.trial["state"] == "open", played.summary
    assert played.trial["score"] is None, played.summary
    for word in words:
        assert word in played.printed, played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_trial_ended(played: PlayedCase, *words: str, max_requests: int = 1) -> None:
    """Assert that only this trial ended, without an answer, for a reason with all of `words`.

    The run goes on. In place of the model's answer, it submits a *fallback* of its own.
    """
    assert played.result.code == OK, played.summary
    assert played.trial["state"] == "fallback", played.summary
    for word in words:
        assert word in played.trial["reason"], played.summary
    assert len(played.requests) <= max_requests, played.summary


def check_model_told(played: PlayedCase, part_of_message: str) -> None:
    """Assert that the second request tells the model what was wrong with its reply."""
    second_request = json.dumps(played.requests[1])
    assert part_of_message in second_request, played.summary
    check_no_prose_submitted(played)


def check_no_prose_submitted(played: PlayedCase) -> None:
    """Assert that nothing of a reply was submitted that is not an answer.

    The trial has the right answer, or the run's own fallback.
    """
    if played.trial["state"] != "fallback":
        assert played.trial["score"] == 1.0, played.summary
