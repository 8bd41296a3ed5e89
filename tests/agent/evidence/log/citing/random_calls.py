"""Random calls of a trial on paths that could be taken for one another, by their case or accents.

`make_random_call(calls, random.Random(4))` reads "/a/X", say, or lists "/A/x".
"""

import random

from tests.gates.recorded_calls import CallsOfTrial

CONFUSABLE_PATHS = [
    "/a/x",
    "/a/X",
    "/A/x",
    "/x",
    "/b/x",
    "/b/y#1",  # a file of this name, or part 1 of the file /b/y
    "/b/y",
    "/a",
    "/c/é",
    "/c/e\u0301",  # the same letter as an e with an accent
]


def make_random_call(calls: CallsOfTrial, chance: random.Random) -> None:
    """List a folder, read a file, write or delete one.

    In "read elsewhere", the environment says that it has read a file at another path.
    """
    path = chance.choice(CONFUSABLE_PATHS)
    other_path = chance.choice(CONFUSABLE_PATHS)
    match chance.choice(("list", "read", "read elsewhere", "write", "delete")):
        case "list":
            is_folder = chance.random() < 0.2
            is_truncated = chance.random() < 0.5
            entry = {"name": "n", "path": other_path, "is_dir": is_folder}
            result = {"entries": [entry], "truncated": is_truncated}
            calls.record("list", {"path": path}, result)
        case "read":
            calls.read_text(path, "ten words")
        case "read elsewhere":
            result = {"path": other_path, "content": "ten words", "truncated": False}
            calls.record("read", {"path": path}, result)
        case "write":
            calls.write(path, "c")
        case "delete":
            calls.delete(path)
