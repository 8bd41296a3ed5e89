"""Attacks on the command line that were written by people outside the project.

An attack is a program, such as `rx_long_word_ask.py`. It makes hostile files or requests, runs
`controlplane` on them, and prints HOLDS if the product withstood, FALLS if not. The programs are in
two folders beside the repository; without them, the tests are skipped.
"""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile_inputs.attack_programs import (
    ATTACK_FOLDERS,
    ENVIRONMENT,
    attack_programs,
    run_attack,
    says_holds,
)
from tests.hostile_inputs.changed_attacks import copy_with_changes
from tests.support.forks.server_lines import start_server


@pytest.fixture(scope="module")
def command_server() -> Iterator[socket.socket]:
    """The control socket of a server that forks the commands which attacks start."""
    control, server = start_server(ENVIRONMENT)
    with server, control:
        yield control


@pytest.mark.second_tier
@pytest.mark.skipif(
    not ATTACK_FOLDERS[0].exists(), reason="the attacks of others are not here"
)
@pytest.mark.parametrize("path", attack_programs(), ids=lambda path: path.stem)
def test_the_product_withstands_an_attack(
    path: Path, tmp_path: Path, command_server: socket.socket
) -> None:
    """An attack that fails is run once more: it measures seconds, and the machine may be busy."""
    program = copy_with_changes(path, tmp_path / "attacks")

    attack = run_attack(program, tmp_path / "first", command_server)
    if not says_holds(attack):
        attack = run_attack(program, tmp_path / "second", command_server)

    assert says_holds(attack), attack.stdout[-600:] + attack.stderr[-300:]
