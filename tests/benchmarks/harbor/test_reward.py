"""The reward of a task in Harbor's format: the score that its verifier leaves in a file.

A verifier is a script that looks at the container when the agent has finished. It writes either a
number into `reward.txt`, or several numbers into `reward.json`: `{"reward": 0.5, "style": 1}`. One of
them is the score, and the others are metrics, which a report shows beside it.
"""

from typing import NamedTuple

import pytest

from controlplane.benchmarks.harbor.reward import reward_of


class VerifierFiles(NamedTuple):
    """What a verifier has left; None for a file that does not exist."""

    reward_text: bytes | None = None
    """The content of `reward.txt`."""
    reward_json: bytes | None = None
    """The content of `reward.json`."""


@pytest.mark.parametrize(
    ("files", "score", "metrics"),
    [
        pytest.param(
            VerifierFiles(reward_text=b"1\n"), 1.0, {}, id="a number in reward.txt"
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"reward": 0.5, "style": 1}'),
            0.5,
            {"style": 1.0},
            id="the key reward in reward.json, and a metric",
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"accuracy": 0.25}'),
            0.25,
            {},
            id="the only key in reward.json",
        ),
    ],
)
def test_the_reward_is_read_from_the_file_that_the_verifier_leaves(
    files: VerifierFiles, score: float, metrics: dict[str, float]
) -> None:
    grade = reward_of(files.reward_text, files.reward_json, chosen_key="")

    assert grade.score == score
    assert grade.metrics == metrics
    assert not grade.details


def test_the_user_may_choose_the_key_of_the_score() -> None:
    """Then the number in `reward.txt` is left aside, and `reward` is a metric like others."""
    grade = reward_of(b"1", b'{"speed": 3, "reward": 0}', chosen_key="speed")

    assert grade.score == 3.0
    assert grade.metrics == {"reward": 0.0}
    assert not grade.details
