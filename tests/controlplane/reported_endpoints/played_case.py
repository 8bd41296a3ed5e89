"""The run of one trial against an endpoint that replies as in a recorded case.

    @plays("c30-empty-cost-limit")
    def test_a_limit_of_costs_counts_empty_replies(played: PlayedCase) -> None:
        assert len(played.requests) == 1

The fixture `played` (in conftest.py) plays the case.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.command import CommandResult


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
