"""Texts of records and messages that are altered, damaged or junk, for the fuzzer.

Both functions return the JSON text of a value, of an altered one, or something that cannot be parsed.
"""

import json
from random import Random
from typing import Any

from tests.fuzz.inputs.altered_json import altered
from tests.fuzz.inputs.generators import chosen_kind, text, word
from tests.fuzz.inputs.junk_messages import junk_message
from tests.fuzz.inputs.random_data import random_data


def damaged_record(rng: Random, like: str) -> str:
    """Return a text like a record, such as `{"id": [null], "n": 2}`, or not at all like one.

    `like` is the text of a real record, such as `{"id": "a", "n": 2}`. It is altered in its
    values, or damaged in a few characters, or replaced by junk.
    """
    kind = chosen_kind(rng, {"altered": 60, "damaged": 20, "junk": 20})
    if kind == "altered":
        try:
            return json.dumps(altered(rng, json.loads(like)))
        except (ValueError, RecursionError):
            return text(rng)
    if kind == "damaged":
        start = rng.randrange(len(like) + 1)
        end = start + rng.randrange(4)
        return like[:start] + word(rng) + like[end:]
    junk = [
        text(rng),
        json.dumps(random_data(rng)),
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"a":1,"a":[2]}',
        "1" * 10_000,
    ]
    return rng.choice(junk)


def damaged_message(rng: Random, frames: list[dict[str, Any]]) -> bytes:
    """Return the bytes of a message: one of `frames`, as it is, altered or damaged, or junk.

    `frames` are messages as they should be, such as `{"printed": "text"}`.
    """
    kind = chosen_kind(rng, {"known": 15, "altered": 45, "damaged": 20, "junk": 20})
    frame = rng.choice(frames)
    if kind == "known":
        return json.dumps(frame).encode()
    if kind == "altered":
        return json.dumps(altered(rng, frame)).encode()
    if kind == "damaged":
        # Up to three bytes take the place of one.
        whole = json.dumps(frame).encode()
        position = rng.randrange(len(whole))
        new_bytes = rng.randbytes(rng.randrange(4))
        return whole[:position] + new_bytes + whole[position + 1 :]
    return junk_message(rng, frame)
