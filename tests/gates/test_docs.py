"""docs/gates.md shows the enforcement of every gate and rule as the code has it, and every command and option."""

import re
from pathlib import Path

import click
import pytest

from benchmarks.shop.rule_set import RULE_SET
from gates.__main__ import main
from gates.judging import RULES, VERIFY_RULE
from gates.submission import ENFORCEMENTS, key_of

DOCS = Path(__file__).parents[2] / "docs"
TEXT = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in ("gates.md", "toolkit.md"))
ROWS = [
    (row[1], row[2].strip(), row[3].strip(" |"))
    for row in re.finditer(r"^\| `([1-8](?:/[\w-]+)?|\w+/[\w-]+)` \|([^|\n]*)\|?([^\n]*)$", TEXT, re.MULTILINE)
]
"""First two cells, and the rest, of every table row that begins with a key in back quotes."""
OWN = {key_of(rule.gate, rule.name): rule.enforcement for rule in (*RULES, VERIFY_RULE)}
OF_RULE_SET = {f"{RULE_SET.name}/{rule.name}": rule.enforcement for rule in RULE_SET.rules}


def test_every_key_is_documented_once() -> None:
    keys = [key for key, *_ in ROWS]
    assert sorted(keys) == sorted({*OWN, *OF_RULE_SET})


def test_the_enforcement_of_gates_and_general_rules_is_that_of_the_code() -> None:
    assert {key: enforcement for key, enforcement, _ in ROWS if key[0].isdigit()} == OWN


def test_every_rule_of_the_rule_set_that_blocks_is_documented_as_such_with_its_reason() -> None:
    blocking = {key: rest for key, second, rest in ROWS if key in OF_RULE_SET and second == "block"}
    assert set(blocking) == {key for key, enforcement in OF_RULE_SET.items() if enforcement == "block"}
    assert all(blocking.values())
    assert set(OF_RULE_SET.values()) <= set(ENFORCEMENTS)
    if not blocking:
        assert f"All rules of the rule set `{RULE_SET.name}` ask" in TEXT


def test_every_row_says_what_is_objected_to() -> None:
    assert [key for key, second, rest in ROWS if not (rest if second in ENFORCEMENTS else second)] == []


@pytest.mark.parametrize("name", main.commands)
def test_every_command_and_option_is_documented(name: str) -> None:
    assert f"python -m gates {name}" in TEXT
    for parameter in main.commands[name].params:
        if isinstance(parameter, click.Option):
            assert max(parameter.opts, key=len) in TEXT
