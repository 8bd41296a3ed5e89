"""Random calls of operations, for fuzzer targets: reads, writes, searches and runs of tools.

`random_arguments(rng, "read", known_paths=["/a.csv"], ...)` may return `{"path": "/a.csv#",
"start_line": -1, "end_line": 0}`: a path that is nearly right, and a line that does not exist.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from controlplane.sandbox.interface import FILE_OPERATIONS
from tests.fuzz.inputs import generators
from tests.fuzz.inputs.jq_filters import jq_filter
from tests.fuzz.inputs.patterns import pattern
from tests.fuzz.inputs.sql_queries import sql_query

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
    path = generators.path(rng, known_paths)
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


def random_execution(
    rng: Random, known_paths: Sequence[str], path: str
) -> dict[str, Any]:
    """Return arguments of `exec`, which runs a tool: `{"path": "/bin/sql", "stdin": "select 1"}`.

    The tool is a known one, SQL or jq, or `path`, which may not be a tool at all.
    """
    tools = [known_path for known_path in known_paths if known_path.startswith("/bin/")]
    if not tools:
        tools = ["/bin/cat"]
    tool = rng.choice([*tools, "/bin/sql", "/bin/sql", "/bin/jq", path])
    if tool == "/bin/sql":
        query = sql_query(rng)
        if rng.random() < 0.5:
            return {"path": tool, "args": [query], "stdin": ""}
        return {"path": tool, "stdin": query}

    words = [jq_filter(rng), path]
    if tool != "/bin/jq":
        words = _random_words(rng, known_paths)
    return {"path": tool, "args": words, "stdin": generators.text(rng)}


def _random_words(rng: Random, known_paths: Sequence[str]) -> list[str]:
    """Return up to 4 words behind the name of a tool: `["--help", "/a.csv"]`."""
    words: list[str] = []
    for _ in range(rng.randrange(5)):
        word = generators.word(rng)
        path = generators.path(rng, known_paths)
        words.append(rng.choice([word, path, "-", "--help"]))
    return words
