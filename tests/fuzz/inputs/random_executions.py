"""Random arguments of the operation `exec`, which runs a tool of a workspace, for the fuzzer.

    random_execution(rng, known_paths=["/bin/cat", "/a.csv"], path="/a.csv")
    # {"path": "/bin/sql", "stdin": "select abs(1) from products, t"}, for example

Most tools exist; most of what they are given is wrong.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from tests.fuzz.inputs import generators
from tests.fuzz.inputs.jq_filters import jq_filter
from tests.fuzz.inputs.random_paths import random_path
from tests.fuzz.inputs.sql_queries import sql_query


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
        path = random_path(rng, known_paths)
        words.append(rng.choice([word, path, "-", "--help"]))
    return words
