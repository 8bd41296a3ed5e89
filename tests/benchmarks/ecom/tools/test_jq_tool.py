"""The tool `jq` picks values from JSON by a small part of the language of the real jq.

jq '.rows[].s'  <  {"rows": [{"s": "A"}, {"s": "B"}]}
"A"
"B"
"""

import json

import pytest

from tests.benchmarks.ecom.tools.tool_runs import run_tool
from tests.benchmarks.shop.functions.written_shop import written_shop


def json_values(text: str) -> list[object]:
    """Return the JSON values that a tool has printed: `1\\n{"a": 2}` -> `[1, {"a": 2}]`"""
    decoder = json.JSONDecoder()
    values = []
    rest = text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        values.append(value)
        rest = rest[end:].lstrip()
    return values


@pytest.mark.parametrize(
    ("program", "text", "printed_values"),
    [
        (".", '{"a": [1, "x"]}', [{"a": [1, "x"]}]),
        (".a.b[0]", '{"a": {"b": [1, 2]}}', [1]),
        (".a.b[-1]", '{"a": {"b": [1, 2]}}', [2]),
        (".a.b[9]", '{"a": {"b": [1, 2]}}', [None]),
        (".missing", '{"a": 1}', [None]),
        (".rows[].s", '{"rows": [{"s": "A"}, {"s": "B"}]}', ["A", "B"]),
        (".rows | length", '{"rows": [{"s": "A"}, {"s": "B"}]}', [2]),
        (".rows | keys", '{"rows": [{"s": "A"}, {"s": "B"}]}', [[0, 1]]),
        ("keys", '{"b": 1, "a": 2}', [["a", "b"]]),
        (".n | length", '{"n": "x"}', [1]),
        (".a | length", '{"a": {"b": 1}}', [1]),
        (".missing | length", '{"a": 1}', [0]),
    ],
)
def test_jq_picks_values(program: str, text: str, printed_values: list[object]) -> None:
    result = run_tool(written_shop({}), "jq", program, stdin=text)

    assert json_values(result.out) == printed_values
    assert result.err == ""
    assert result.code == 0
