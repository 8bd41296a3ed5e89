"""Random calls of operations, for fuzzer targets: reads, writes, searches and runs of tools.

`random_arguments(rng, "read", known_paths=["/a.csv"], ...)` may return `{"path": "/a.csv#",
"start_line": -1, "end_line": 0}`: a path that is nearly right, and a line that does not exist.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from controlplane.sandbox.interface import FILE_OPERATIONS
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.patterns import pattern
from tests.fuzz.inputs.random_executions import random_execution
from tests.fuzz.inputs.random_paths import random_path

OPERATION_NAMES = [operation.name for operation in FILE_OPERATIONS]
"""`read`, `write`, `search`, `exec`, and so on."""


TextFor = Callable[[str], str]
"""Returns a random text to write to a path."""


def random_arguments(
    rng: Random, operation: str, *, known_paths: Sequence[str], text_for: TextFor
) -> dict[str, Any]:
    """Return arguments of an operation: `{"root": "/a.csv", "level": 99}` for `tree`.

    Most paths are known ones, as they are or nearly so. `text_for` makes the content of a `write`.
    """
    path = random_path(rng, known_paths)
    match operation:
        case "search":
            return {
                "pattern": pattern(rng),
                "root": path,
                "limit": rng.choice([0, 1, 10, -1]),
            }
        case "find":
            name_end = rng.choice(["", "*", "[", "?*" * 100])
            return {
                "name": generators.word(rng) + name_end,
                "root": path,
                "kind": rng.choice(["all", "files", "dirs", "x"]),
            }
        case "tree":
            return {"root": path, "level": rng.choice([0, 1, 2, 99, -1])}
        case "read":
            return {
                "path": path,
                "start_line": rng.randrange(-1, 9),
                "end_line": rng.choice([0, 1, 2**70]),
            }
        case "write":
            return {
                "path": path,
                "content": text_for(path),
                "if_match_sha256": rng.choice(["", "", generators.word(rng)]),
            }
        case "exec":
            return random_execution(rng, known_paths, path)
        case _:  # `list`, `delete` and others take only a path.
            return {"path": path}
