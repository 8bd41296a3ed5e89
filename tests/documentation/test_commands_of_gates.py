"""The pages of rules document every command and option of `python -m controlplane.gates`.

This program judges answers without a run: `python -m controlplane.gates score FILE --json`.
"""

import click
import pytest

from controlplane.gates.__main__ import main as gates_command
from tests.documentation.rule_tables import PAGES_OF_RULES


@pytest.mark.parametrize("name", gates_command.commands)
def test_every_command_and_option_of_the_gates_is_documented(name: str) -> None:
    assert f"python -m controlplane.gates {name}" in PAGES_OF_RULES
    for parameter in gates_command.commands[name].params:
        if isinstance(parameter, click.Option):
            longest_name = max(parameter.opts, key=len)
            assert longest_name in PAGES_OF_RULES
