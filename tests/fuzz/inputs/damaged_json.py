"""Texts of records and messages that are altered, damaged or junk, for the fuzzer.

Both functions return the JSON text of a value, of an altered one, or something that cannot be parsed.
"""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tests.fuzz.inputs.generators import chosen_kind, happens, text, word

# Random JSON values for the fuzzer, with numbers at and beyond limits.
#
# random_data(rng)  # {"sku": [1e308, None]}

MAX_DATA_DEPTH = 6
"""How many lists and objects may be around a JSON value, as in `[[[[[[1]]]]]]`."""


def random_data(rng: Random, depth: int = 0) -> Any:
    """Return a JSON value, which is inside `depth` lists and objects."""
    kind = chosen_kind(rng, {"scalar": 40, "list": 30, "object": 30})
    if depth >= MAX_DATA_DEPTH or kind == "scalar":
        numbers = [0, -1, 2**63, 10**400, 1.5, -0.0, 1e308]
        return rng.choice([None, True, False, *numbers, word(rng), text(rng)])
    if kind == "list":
        return [random_data(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {word(rng): random_data(rng, depth + 1) for _ in range(rng.randrange(5))}


# JSON values that are altered, for the fuzzer: they are JSON still, but not what a reader expects.
#
# `altered(rng, {"id": "a", "n": [1, 2]})` may return `{"n": [1, 1, 1, 2]}`.


def altered(rng: Random, value: Any) -> Any:
    """Return a copy of a JSON value with some parts replaced, dropped or repeated.

    `{"id": "a", "n": [1, 2]}` -> `{"n": [1, 1, 1, 2]}`
    """
    if happens(rng, 8):
        return random_data(rng)
    if isinstance(value, dict):
        return _altered_object(rng, value)
    if isinstance(value, list):
        return _altered_list(rng, value)
    return value


def _altered_object(rng: Random, fields: dict[str, Any]) -> dict[str, Any]:
    """Return a copy without 5% of the fields, in 10% of cases with a random field."""
    copy: dict[str, Any] = {}
    for name, value in fields.items():
        if not happens(rng, 5):
            copy[name] = altered(rng, value)
    if happens(rng, 10):
        copy[word(rng)] = random_data(rng)
    return copy


def _altered_list(rng: Random, items: list[Any]) -> list[Any]:
    """Return a copy in which one item of six is dropped, and one of six is there three times."""
    copy: list[Any] = []
    for item in items:
        for _ in range(rng.choice([0, 1, 1, 1, 1, 3])):
            copy.append(altered(rng, item))
    return copy


# Bytes that no right message of a process has, for the fuzzer: most are costly or impossible to parse.
#
# junk_message(rng, {"printed": "text"})  # b"[[[[...", or b'{"number": 1e400}'


def junk_message(rng: Random, frame: dict[str, Any]) -> bytes:
    """Return junk, of which some has the keys of `frame`, a right message."""
    # Functions, so that only the chosen body is made: most are large.
    junk: list[Callable[[], bytes]] = [
        lambda: rng.randbytes(rng.randrange(200)),
        lambda: b"[" * rng.randrange(1, 100_000),
        lambda: b'{"scratchpad": [' + b"[]," * 60_000 + b"1]}",
        lambda: b'{"scratchpad": [' + b'{"a":1},' * 60_000 + b"1]}",
        lambda: b'{"kind": [' + b"1," * 100_000 + b"1]}",
        lambda: json.dumps([*frame, random_data(rng), random_data(rng)]).encode(),
        lambda: json.dumps(dict.fromkeys(frame, random_data(rng))).encode(),
        lambda: b'{"printed": "\\ud800"}',
        lambda: b'{"number": 1e400}',
        lambda: b'{"number": ' + b"9" * 5_000 + b"}",
    ]
    make_body = rng.choice(junk)
    return make_body()


# Random paths for the fuzzer: known ones, misspelt ones, and junk.
#
# random_path(rng, ["/docs/a.md"])  # "/docs/a.md", "/docs/a.md#row=1", "/DOCS/A.MD" or "./sku//a"


def random_path(rng: Random, known: Sequence[str]) -> str:
    """Return a path: a known one, one with an ending, a misspelt one, or a new one of words."""
    known_path = rng.choice(known)
    kind = chosen_kind(rng, {"known": 40, "ending": 20, "misspelt": 15, "new": 25})
    if kind == "known":
        return known_path
    if kind == "ending":
        endings = ["#", "#row=1", "/", "/..", " ", "\x00", "#" + known_path]
        return known_path + rng.choice(endings)
    if kind == "misspelt":
        misspelt_paths = [
            known_path.upper(),
            known_path[1:],
            "/" + known_path,
            known_path.replace("/", "//"),
            known_path.rsplit("/", 1)[0],
        ]
        return rng.choice(misspelt_paths)

    start = rng.choice(["/", "", "./"])
    separator = rng.choice(["/", "//", "/./"])
    parts = [word(rng) for _ in range(rng.randrange(5))]
    return start + separator.join(parts)


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
