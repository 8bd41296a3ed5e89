"""docs/gates.md names every gate, rule, command and option."""

from pathlib import Path

import click
import pytest

from benchmarks.shop import PACK
from gates import GATE_NAMES
from gates.__main__ import main

TEXT = (Path(__file__).parents[2] / "docs" / "gates.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("number", "name"), GATE_NAMES.items())
def test_every_gate_is_documented(number: int, name: str) -> None:
    assert f"| {number} | {name} |" in TEXT


@pytest.mark.parametrize("rule", [rule.name for rule in PACK.rules])
def test_every_rule_of_the_pack_is_documented(rule: str) -> None:
    assert f"| {rule} |" in TEXT


@pytest.mark.parametrize("name", main.commands)
def test_every_command_and_option_is_documented(name: str) -> None:
    assert f"python -m gates {name}" in TEXT
    for parameter in main.commands[name].params:
        if isinstance(parameter, click.Option):
            assert max(parameter.opts, key=len) in TEXT


@pytest.mark.parametrize("script", ["gates_on_ecom.py", "gates_speed.py", "gate_mutants.py"])
def test_every_measurement_that_is_named_is_there(script: str) -> None:
    assert script in TEXT
    assert (Path(__file__).parents[1] / "bench" / script).is_file()
