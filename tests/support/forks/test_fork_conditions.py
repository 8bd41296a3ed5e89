"""Commands of tests that are forks of a process which has imported the product already."""

import os

import pytest

from tests.support.forks.forked_process import can_fork, exit_code_of


@pytest.mark.parametrize(
    ("end", "exit_code"),
    [
        pytest.param(SystemExit(), 0, id="it ends without a code"),
        pytest.param(SystemExit(3), 3, id="it ends with a code"),
        pytest.param(SystemExit("no such run"), 1, id="it ends with a message"),
    ],
)
def test_an_exit_has_the_code_that_python_gives_it(
    end: SystemExit, exit_code: int
) -> None:
    """A command that ends with a message has failed, in a fork as in a new Python."""
    assert exit_code_of(end) == exit_code


@pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="this system cannot watch a fork"
)
@pytest.mark.parametrize(
    ("variable", "can_be_fork"),
    [
        pytest.param("CONTROLPLANE_MODEL", True, id="the product reads it"),
        pytest.param("PYTHONUTF8", False, id="Python reads it at its start"),
        pytest.param("LC_ALL", False, id="the C library reads it at its start"),
    ],
)
def test_a_variable_that_is_read_before_the_product_needs_a_new_python(
    variable: str, can_be_fork: bool
) -> None:
    """The command has one variable more than the server that would fork it."""
    usual_environment = {"PATH": "/usr/bin"}
    environment = {**usual_environment, variable: "1"}

    assert can_fork(environment, usual=usual_environment) == can_be_fork
