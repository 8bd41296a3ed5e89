"""What `jq` picks out of JSON, and what it refuses."""

from __future__ import annotations

import json

import pytest

from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.runtime.tools.tool_calls import run


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (".", {"a": {"b": [1, 2]}, "n": "x", "rows": [{"s": "A", "q": 1}, {"s": "B", "q": 2}]}),
        (".a.b[0]", 1),
        (".a.b[-1]", 2),
        (".a.b[9]", None),
        (".missing", None),
        (".rows[].s", ["A", "B"]),
        (".rows | length", 2),
        ("keys", [["a", "n", "rows"]]),
        ('.rows[] | select(.s == "B") | .q', 2),
        (".rows[] | select(.q >= 1) | .s", ["A", "B"]),
        (".rows[] | select(.q != 1) | .s", "B"),
        ('.["n"]', "x"),
        (".rows[] | select(.q > 1) | .s", "B"),
        (".rows[] | select(.q < 2) | .s", "A"),
        ('.rows[] | select(.s <= "A") | .q', 1),
        (".n | length", 1),
        (".a | length", 1),
        (".missing | length", 0),
        (".rows | keys", [[0, 1]]),
    ],
)
def test_jq_picks_values(shop: World, program: str, expected: object) -> None:
    data = {"a": {"b": [1, 2]}, "n": "x", "rows": [{"s": "A", "q": 1}, {"s": "B", "q": 2}]}
    out, err, code = run(shop, "jq", program, stdin=json.dumps(data))
    assert (err, code) == ("", 0)
    values = expected if isinstance(expected, list) else [expected]
    decoder, printed = json.JSONDecoder(), []
    while out.strip():
        value, end = decoder.raw_decode(out.lstrip())
        printed.append(value)
        out = out.lstrip()[end:]
    assert printed == values


@pytest.mark.parametrize("program", ["map(.a)", ".a.b.c", ".n[]", ".a[0]", "select(.n == x)", ".n | keys", "", "(.a"])
def test_jq_refuses_what_it_does_not_understand(shop: World, program: str) -> None:
    out, err, code = run(shop, "jq", program, stdin='{"a": {"b": 1}, "n": 3}')
    assert (out, code) == ("", 1) or (program == "" and code == 0)
    assert err.startswith("jq: ") or program == ""


def test_jq_prints_raw_strings_when_asked(shop: World) -> None:
    assert run(shop, "jq", "-r", ".a", stdin='{"a": "x"}')[0] == "x\n"
    assert run(shop, "jq", ".a", stdin='{"a": "é"}')[0] == '"é"\n'
    assert run(shop, "jq", ".a", stdin="no json")[2] == 1
