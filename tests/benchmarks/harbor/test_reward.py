"""The reward of a task in Harbor's format: the score that its verifier leaves in a file.

A verifier is a script that looks at the container when the agent has finished. It writes either a
number into `reward.txt`, or several numbers into `reward.json`: `{"reward": 0.5, "style": 1}`. One of
them is the score, and the others are metrics, which a report shows beside it.
"""

from typing import NamedTuple

import pytest

from controlplane.benchmarks.harbor.verifier import reward_of
from controlplane.score_scale import ANY_NUMBER


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
    grade = reward_of(b"0.5", b'{"speed": 1, "reward": 0}', chosen_key="speed")

    assert grade.score == 1.0
    assert grade.metrics == {"reward": 0.0}
    assert not grade.details


DIGITS_400 = b"1" + b"0" * 400


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        pytest.param(
            VerifierFiles(reward_text=b"2"), "the score 2 is not from 0 to 1", id="2"
        ),
        pytest.param(
            VerifierFiles(reward_text=b"-5"), "the score -5 is not from 0 to 1", id="-5"
        ),
        pytest.param(
            VerifierFiles(reward_text=b"1e308"),
            "the score 1e+308 is no finite number",
            id="1e308",
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"reward": %s}' % DIGITS_400),
            "the score inf is no finite number",
            id="400 digits",
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"reward": "1"}'),
            "the verifier left no reward",
            id="a text in reward.json",
        ),
        pytest.param(
            VerifierFiles(reward_text=b"good"),
            "reward.txt holds no number: b'good'",
            id="a word in reward.txt",
        ),
    ],
)
def test_what_is_no_score_is_told_and_gives_none(
    files: VerifierFiles, reason: str
) -> None:
    grade = reward_of(files.reward_text, files.reward_json, chosen_key="")

    assert grade.score is None
    assert grade.details[0] == reason


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_metric_that_no_float_holds_is_named_and_left_out(digits: int) -> None:
    """Python refuses to read an integer of 5,000 digits."""
    huge = b"1" + b"0" * digits

    grade = reward_of(None, b'{"reward": 1, "x": %s, "y": 2}' % huge, chosen_key="")

    assert grade.score == 1.0
    assert grade.metrics == {"y": 2.0}
    assert grade.details == ("the metric 'x' is no finite number",)


def test_another_scale_takes_any_finite_number() -> None:
    def score_of(text: bytes) -> float | None:
        return reward_of(text, None, chosen_key="", scale=ANY_NUMBER).score

    assert score_of(b"-5") == -5.0
    assert score_of(b"1e308") is None  # Too large for means and journals.
    assert score_of(b"nan") is None


def test_a_reward_within_rounding_of_1_is_1() -> None:
    assert reward_of(b"1.0000000001", None, chosen_key="").score == 1.0
