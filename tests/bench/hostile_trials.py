"""Trials of hostile scripts, each made to cost the parent of the sandbox as much as it can."""

from __future__ import annotations

import json
import zoneinfo
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sandbox.interface import CallError, Plain

Answers = Callable[[str, Mapping[str, Plain]], dict[str, Plain]]
"""What an environment returns for an operation and its arguments."""

TRY = """
def tried(act, *given):
    try:
        return act(*given)
    except Exception as error:
        return error
"""
FILE = "f'/f{k}-{NUMBER}'"
PROSE = "words and more " * 30_000
ASTRAL = "\U0001d7d8\U0001f600 " * 80_000
ZONES = sorted(each for each in zoneinfo.available_timezones() if "/" in each and "Etc" not in each)[:100]
DENSE = "[" + "1," * 40_000 + "1]"


class Trial(NamedTuple):
    """Scripts of one trial, and what its environment returns."""

    scripts: tuple[str, ...]
    result: Answers | None = lambda name, given: {"content": "some words"}
    """None: the embedded world answers, in its aide."""


def constant(content: Plain) -> Answers:
    return lambda name, given: {"path": given.get("path", "/"), "content": content}


def entries(count: int, name: str) -> Answers:
    def result(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
        folder = given.get("path", "/")
        return {
            "entries": [{"name": "n", "path": f"{folder}/{name}{at}", "is_dir": at % 2 == 0} for at in range(count)]
        }

    return result


def fail(message: str) -> Answers:
    def result(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
        raise CallError("unavailable", message)

    return result


def deep(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
    return {"content": json.loads("[" * 90 + "]" * 90)}


def tree(operation: str, given: Mapping[str, Plain]) -> dict[str, Plain]:
    node: dict[str, Plain] = {"name": "n" * 1000, "is_dir": True, "children": []}
    for at in range(8):
        node = {"name": f"{at}" * 200, "is_dir": True, "children": [node, *({"name": f"f{k}"} for k in range(200))]}
    return node


def changing(value: str, before: str = "") -> Trial:
    """Return a trial whose scratchpad is another one at every call."""
    return Trial(
        (TRY + before + f"for k in range(12):\n    scratchpad['v'] = {value}\n    tried(harness.read, f'/f{{k}}')\n",)
    )


def world(code: str, steps: int = 1) -> Trial:
    """Return a trial of the embedded world."""
    return Trial((TRY + code,) * steps, None)


MANY_FILES = "for k in range(900): tried(harness.read, f'/f{k}' if NUMBER == 0 else f'/f{k}-{NUMBER}')\n"
FEW = "for k in range(100):\n    tried(harness.read, f'/f{k}-{NUMBER}')\n"
MANY = "for k in range(900):\n    tried(harness.read, f'/f{k}-{NUMBER}')\n"
TRIALS: dict[str, Trial] = {
    "ordinary": Trial((TRY + "for k in range(20): harness.read(f'/f{k}')\n",)),
    "largest results": Trial((TRY + MANY,) * 1, constant("words and more " * 60_000)),
    "different large results": Trial((TRY + MANY,) * 3, lambda name, given: {"content": f"{given} {PROSE}"}),
    "astral texts": Trial((TRY + FEW,), lambda name, given: {"content": f"{given} {ASTRAL}"}),
    "control characters": Trial((TRY + FEW,), lambda name, given: {"content": f"{given}" + "\1" * 300_000}),
    "many tiny values": Trial((TRY + FEW,), constant([0] * 9_900)),
    "many tiny mappings": Trial((TRY + FEW,), constant([{"a": 1}] * 1_290)),
    "deep results": Trial((TRY + FEW,), deep),
    "dense scratchpad: numbers": changing("[k + 1] * 150_000"),
    "dense scratchpad: floats": changing("[k + 0.5] * 150_000"),
    "dense scratchpad: lists": changing("[[]] * 4_900 + [k]"),
    "dense scratchpad: mappings": changing("[{'': k}] * 4_900"),
    "dense scratchpad: keys": changing("{f'{j}-{k}': 1 for j in range(30_000)}"),
    "dense scratchpad: texts": changing("['é'] * 80_000 + [k]"),
    "dense scratchpad: tuples": changing("[()] * 2_400 + [k]"),
    "dense scratchpad: times": changing(
        "[datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)] * 990 + [k]", "import datetime\n"
    ),
    "dense scratchpad: dates as keys": changing(
        "{datetime.datetime(2020, 1, 1) + datetime.timedelta(j): k for j in range(990)}", "import datetime\n"
    ),
    "dense scratchpad: zones": changing(
        "[datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo(each)) for each in KEYS[k % 50:][:50] * 19]",
        f"import datetime, zoneinfo\nKEYS = {ZONES}\n",
    ),
    "dense scratchpad: odd keys": changing("{j: k for j in range(4_900)}"),
    "huge scratchpads": Trial(
        (
            TRY
            + "for k in range(40):\n    scratchpad['v'] = str(k) + 'x' * 900_000\n    tried(harness.read, f'/f{k}')\n",
        )
    ),
    "long paths": Trial((TRY + "for k in range(100): tried(harness.read, '/' + str(k) + 'a' * 100_000)\n",)),
    "paths of the longest kind": Trial(
        (TRY + "for k in range(900): tried(harness.read, f'/{k}-{NUMBER}' + 'é' * 1_000)\n",) * 5
    ),
    "long reasons": Trial((TRY + "for k in range(100): tried(scratchpad.cite, '/a', 'r' * 400_000)\n",)),
    "many citations": Trial((TRY + "scratchpad['refs_why'] = {f'/f{k}': 'reason ' * 9 for k in range(9_000)}\n",)),
    "unread long citations": Trial(
        (
            TRY + "for k in range(400): tried(harness.read, f'/{k}' + 'a' * 1_000)\n",
            TRY + "for k in range(500): tried(scratchpad.cite, f'/{k}' + 'a' * 1_000 + 'b', 'long enough')\n",
        )
    ),
    "a cite after each call": Trial(
        (TRY + f"for k in range(500): harness.write({FILE}, 'x'); tried(scratchpad.cite, {FILE}, 'I wrote it')\n",) * 9
    ),
    "many changes": Trial(
        (TRY + "for k in range(500): harness.write(f'/d/f{k}-{NUMBER}', 'x'); harness.list('/d')\n",) * 9,
        entries(3, "x"),
    ),
    "listings": Trial((TRY + "for k in range(100): tried(harness.list, f'/l{k}')\n",) * 3, entries(1_290, "file")),
    "trees": Trial((TRY + "for k in range(100): tried(harness.tree, f'/l{k}')\n",), tree),
    "failures with huge messages": Trial((TRY + MANY,) * 5, fail("no " * 300_000)),
    "printing floods": Trial((TRY + "for k in range(30_000): print('x' * 1_000)\n",) * 5),
    "the largest answer": Trial((TRY + "harness.read('/a')\nANSWER = '1,1 ' * 200_000\n",)),
    "an answer of patterns": Trial((TRY + "ANSWER = ('<COUNT:%d> ' + '-' * 50 + '1.' * 50) * 2_000\n",)),
    "dense facts": Trial((TRY + f"scratchpad['facts'] = {{'a': {DENSE}}}\n",)),
    "facts of mappings": Trial(
        (
            TRY + "scratchpad['facts'] = {f'f{k}': {'value': k, 'description': 'd' * 9, 'source': '/a', "
            "'confidence': 'verified'} for k in range(4_900)}\n",
        )
    ),
    "dense tokens": Trial((TRY + "scratchpad['tokens'] = [['a', 'b']] * 4_900\n",)),
    "dense changes": Trial(
        (TRY + "scratchpad['changes'] = [{'path': f'/p{k}', 'action': 'write'} for k in range(4_900)]\n",)
    ),
    "references to all that was read": Trial(
        (
            TRY + MANY_FILES + "scratchpad['refs_why'] = {f'/f{k}': 'reason ' * 9 for k in range(900)}\n",
            TRY + "NUMBER = 9\n" + MANY_FILES,
            TRY + "NUMBER = 8\n" + MANY_FILES,
            TRY + "NUMBER = 7\n" + MANY_FILES,
        ),
        lambda name, given: {"content": f"{given} some words"},
    ),
    "many answers": Trial(
        (
            TRY + "scratchpad.update(answer='no ' * 30_000, outcome='OUTCOME_OK')\n"
            "for k in range(50): tried(harness.answer, scratchpad, lambda sp: True)\n",
        )
    ),
    "refused citations that keep": Trial(
        (TRY + "for k in range(40):\n    scratchpad['v'] = [k] * 30_000\n    tried(scratchpad.cite, '/a', 'long')\n",)
    ),
    "exceptions with huge messages": Trial((TRY + "raise ValueError('x' * 50_000_000)\n",) * 9),
    "exceptions of deep frames": Trial(
        (
            TRY + "def deep(n):\n    return deep(n + 1) if n < 900 else 1 / 0\n"
            "for k in range(9): tried(deep, k)\ndeep(0)\n",
        )
        * 9
    ),
    "unknown zones": Trial(
        (TRY + "import zoneinfo\nfor k in range(900): tried(zoneinfo.ZoneInfo, f'A/{k}-{NUMBER}')\n",)
    ),
    "zones": Trial((TRY + "import zoneinfo\n" + f"for key in {ZONES} * 9: tried(zoneinfo.ZoneInfo.no_cache, key)\n",)),
    "world: a thousand small calls": world("for k in range(900): tried(harness.stat, '/docs')\n", 3),
    "world: large arguments": world(
        "for k in range(50): tried(harness.exec, '/bin/cat', [], str(k) + 'x' * 900_000)\n", 2
    ),
    "world: many large files": world(
        "for k in range(50): tried(harness.write, f'/t/{k}-{NUMBER}', str(k) + 'word ' * 150_000)\n", 2
    ),
    "world: long lines found": world(
        "harness.write('/t', ('x' * 200 + chr(10)) * 4_000)\n"
        "for k in range(60): tried(harness.search, 'x', '/t', 2_000)\n"
    ),
    "world: short lines found": world(
        "harness.write('/t', ('x' + chr(10)) * 9_000)\n"
        "for k in range(100): tried(harness.search, f'x|{k}', '/t', 2_000)\n"
    ),
    "world: dense queries": world(
        "for k in range(60): tried(harness.exec, '/bin/sql', [], f'with recursive n(x) as (select {k} union all select "
        "x + 1 from n limit 60000) select x from n')\n"
    ),
    "world: dense JSON": world(
        "for k in range(60): tried(harness.exec, '/bin/jq', ['.'], '[' + '[],' * 1_290 + str(k) + ']')\n"
    ),
    "world: many files": world(
        "for k in range(900): tried(harness.write, f'/t/{k}-{NUMBER}', 'x')\n"
        "for k in range(50): tried(harness.list, '/t')\n",
        4,
    ),
    "world: many arguments": world(
        "for k in range(100): tried(harness.exec, '/bin/cat', [f'/{k}-{j}' for j in range(1_000)])\n"
    ),
    "world: overruns": world(
        "harness.write('/x', 'a' * 80)\nfor k in range(4): tried(harness.search, '(a|a)*c', '/x')\n"
    ),
    "world: overruns beside large changes": world(
        "for k in range(4): tried(harness.write, f'/t/{k}', 'x' * 450_000)\n"
        "for k in range(4): tried(harness.search, '(x|x)*c', '/t'); harness.stat('/docs')\n"
        "for k in range(100): tried(harness.write, f'/t/more{k}', 'x' * 250_000); harness.stat('/docs')\n"
    ),
    "arguments of executions": Trial(
        (TRY + "for k in range(300): tried(harness.exec, '/bin/cat', [f'/{k}-{j}' for j in range(1_000)])\n",) * 2,
        lambda name, given: {"stdout": "ten words", "stderr": "", "exit_code": 0},
    ),
    "lines of a search": Trial(
        (TRY + "for k in range(200): tried(harness.search, 'x')\n",),
        lambda name, given: {
            "matches": [{"path": f"/s{at % 100}", "line": at, "text": f"{id(given)} line {at}"} for at in range(1_290)]
        },
    ),
}
