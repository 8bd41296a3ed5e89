"""Random texts, which may be longer than a result, and calls whose results are checked in size.

    random_text(rng)      # "vXq kL\nAbc ...", of up to 1.5 million characters

A call on files must not lose a part silently: its result is complete, or says `truncated`.
"""

import random
import string
from typing import Any

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface.json_documents import json_bytes


def random_text(rng: random.Random) -> str:
    """Return a text of up to 1.5 million characters, in lines of any length."""
    # Letters that differ in their size: as UTF-8, and as JSON, which escapes the last ones.
    alphabets = [string.ascii_letters, "äöüß", "契約の有効期限", "😀🎉", '"\\\x01']
    letters = rng.choice(alphabets)
    words: list[str] = []
    for _ in range(200):
        length = rng.randrange(1, 12)
        words.append("".join(rng.choices(letters, k=length)))
    word_count = rng.choice([10, 1_000, 120_000])
    separator = rng.choice([" ", "\n", "\r\n", " \n"])
    return separator.join(rng.choices(words, k=word_count))


def call(
    environment: FilesEnvironment, operation: str, **arguments: Any
) -> dict[str, Any]:
    """Return the result of a call, after checking that it is not larger than scripts can receive."""
    result = dict(environment.call(operation, arguments))
    assert len(json_bytes(result)) < 1_000_000
    return result
