"""Reads the reward that the tests of a task leave: reward.txt has one number, reward.json several.

For example, reward.json may be `{"reward": 0.5, "speed": 12}`.
"""

from __future__ import annotations

import json

from controlplane.local_benchmark.generated_trial import Grade
from controlplane.score_scale import (
    ANY_NUMBER,
    UNIT_SCALE,
    ScoreScale,
    finite_number,
    sound_metrics,
)


def reward_of(
    reward_text: bytes | None,
    reward_json: bytes | None,
    chosen_key: str,
    scale: ScoreScale = UNIT_SCALE,
) -> Grade:
    """Return the grade from the contents of `reward.txt` and `reward.json`; None if one is missing.

    The score is the value of `chosen_key` in reward.json. Without a chosen key, it is the
    number in reward.txt, or else the value of `reward` in reward.json, or else its only value.
    Values of other keys are metrics. A reward that is not on the scale is no score: a grade without
    a score says why in its details.
    """
    values: dict[str, float] = {}
    if reward_json is not None:
        try:
            # A number of 5,000 digits would be an error as an int. As a float it is infinite.
            values = _numbers(json.loads(reward_json, parse_int=float))
        except (ValueError, RecursionError) as error:
            return Grade(None, (f"reward.json cannot be read: {error}",))

    if reward_text is not None and not chosen_key:
        return _grade_of_text(reward_text, values, scale)
    if not values:
        return Grade(None, ("the verifier left no reward",))
    return _grade_of_key(chosen_key or _default_key(values), values, scale)


def _grade_of_text(
    reward_text: bytes, metrics: dict[str, float], scale: ScoreScale
) -> Grade:
    """Return the grade with the number in reward.txt as the score."""
    try:
        reward = float(reward_text)
    except ValueError:
        line = f"reward.txt holds no number: {reward_text[:100]!r}"
        return _grade(None, [line], metrics)
    return _grade_of_reward(reward, metrics, scale)


def _grade_of_reward(
    reward: float, metrics: dict[str, float], scale: ScoreScale
) -> Grade:
    """Return the grade with a reward as the score, if it is one."""
    score = scale.score_of(reward)
    if score is not None:
        return _grade(score, [], metrics)
    lines = [scale.fault_of(reward)]
    if finite_number(reward) is not None and scale != ANY_NUMBER:
        lines.append("--set scale=any takes any number as the score")
    return _grade(None, lines, metrics)


def _grade(score: float | None, lines: list[str], metrics: dict[str, float]) -> Grade:
    """Return a grade with the metrics that are finite numbers, and a line for each other."""
    sound, faults = sound_metrics(metrics)
    return Grade(score, (*lines, *faults), sound)


def _default_key(values: dict[str, float]) -> str:
    """Return the key of the score unless the user chooses one: `reward`, or else the only key.

    If there are only several other keys, it is `reward` all the same, and there is no score.
    """
    if "reward" not in values and len(values) == 1:
        (only_key,) = values
        return only_key
    return "reward"


def _grade_of_key(key: str, values: dict[str, float], scale: ScoreScale) -> Grade:
    """Return the grade with the value of this key as the score, and the others as metrics."""
    if key not in values:
        names = ", ".join(values)
        line = f"reward.json has no {key!r}, but {names}: choose with --set reward=NAME"
        return _grade(None, [line], values)
    metrics = dict(values)
    return _grade_of_reward(metrics.pop(key), metrics, scale)


def _numbers(data: object) -> dict[str, float]:
    """Return the numbers of a JSON object by key. Raises `ValueError` for other data."""
    if not isinstance(data, dict):
        msg = "it is not an object"
        raise ValueError(msg)  # noqa: TRY004 - the caller treats all bad data alike
    numbers = {}
    for name, value in data.items():
        if isinstance(value, bool | float):  # All numbers are read as floats.
            numbers[name] = float(value)
    return numbers
