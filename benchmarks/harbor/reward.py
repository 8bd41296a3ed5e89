"""Reads the reward that the tests of a task leave: reward.txt has one number, reward.json several.

For example, reward.json may be `{"reward": 0.5, "speed": 12}`.
"""

from __future__ import annotations

import json
import math

from controlplane.local_benchmark.generated_trial import Grade


def reward_of(
    reward_text: bytes | None, reward_json: bytes | None, chosen_key: str
) -> Grade:
    """Return the grade from the contents of `reward.txt` and `reward.json`; None if one is missing.

    The score is the value of `chosen_key` in reward.json. Without a chosen key, it is the
    number in reward.txt, or else the value of `reward` in reward.json, or else its only value.
    Values of other keys are metrics. A grade without a score says why in its details.
    """
    values: dict[str, float] = {}
    if reward_json is not None:
        try:
            values = _finite_numbers(json.loads(reward_json))
        except (ValueError, RecursionError) as error:
            return Grade(None, (f"reward.json cannot be read: {error}",))

    if reward_text is not None and not chosen_key:
        return _grade_of_number(reward_text, values)
    if not values:
        return Grade(None, ("the verifier left no reward",))
    return _grade_of_key(chosen_key or _default_key(values), values)


def _grade_of_number(reward_text: bytes, metrics: dict[str, float]) -> Grade:
    """Return the grade with the number in reward.txt as the score."""
    score = _finite_number(reward_text)
    if score is None:
        line = f"reward.txt holds no number: {reward_text[:100]!r}"
        return Grade(None, (line,), metrics)
    return Grade(score, (), metrics)


def _default_key(values: dict[str, float]) -> str:
    """Return the key of the score unless the user chooses one: `reward`, or else the only key.

    If there are only several other keys, it is `reward` all the same, and there is no score.
    """
    if "reward" not in values and len(values) == 1:
        (only_key,) = values
        return only_key
    return "reward"


def _grade_of_key(key: str, values: dict[str, float]) -> Grade:
    """Return the grade with the value of this key as the score, and the others as metrics."""
    if key not in values:
        names = ", ".join(values)
        line = f"reward.json has no {key!r}, but {names}: choose with --set reward=NAME"
        return Grade(None, (line,), values)
    metrics = dict(values)
    score = metrics.pop(key)
    return Grade(score, (), metrics)


def _finite_numbers(data: object) -> dict[str, float]:
    """Return the finite numbers of a JSON object by key. Raises `ValueError` for other data."""
    if not isinstance(data, dict):
        msg = "it is not an object"
        raise ValueError(msg)  # noqa: TRY004 - the caller treats all bad data alike
    numbers = {}
    for name, value in data.items():
        if isinstance(value, bool | int | float) and math.isfinite(value):
            numbers[name] = float(value)
    return numbers


def _finite_number(text: bytes) -> float | None:
    """Return the finite number in a text; None if the text is something else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
