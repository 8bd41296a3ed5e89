"""Bytes that no right message of a process has, for the fuzzer: most are costly or impossible to parse.

junk_message(rng, {"printed": "text"})  # b"[[[[...", or b'{"number": 1e400}'
"""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz.inputs.random_data import random_data


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
