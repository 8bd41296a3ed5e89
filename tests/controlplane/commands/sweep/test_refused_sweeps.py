"""A sweep is refused before its first run if any of its runs could not start.

`sweep s.toml` plays the same tasks once for each value in [axes]. Here the base run could start, and
the run of the last value could not:

    gates = ["none", "9"]    ->    s.toml, gates=9: --gates: '9' is not a gate
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.commands.sweep.sweep_results import sweep_text
from tests.support.command import CommandRunner, check_error_line


@pytest.mark.parametrize(
    ("axes", "message_part"),
    [
        pytest.param(
            'gates = ["none", "9"]',
            "s.toml, gates=9: --gates: '9' is not a gate",
            id="no such gate",
        ),
        pytest.param(
            'gates = ["none"]\nparts = ["+evidence-store"]',
            "s.toml, parts=+evidence-store: --parts '+evidence-store': the solver 'cited' has",
            id="a part that another solver has",
        ),
    ],
)
def test_a_sweep_is_refused_before_its_first_run_if_any_run_cannot_start(
    axes: str,
    message_part: str,
    script: Path,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """Otherwise the first runs would cost money, and the comparison would never be complete.

    In each case the base could start, and the run of the last value could not. `parts` switches
    parts of a solver on or off; "evidence-store" is one that the usual solver does not have.
    """
    (tmp_path / "s.toml").write_text(sweep_text(script, axes=axes), encoding="utf-8")

    refused = run_command_here("sweep", "s.toml")

    check_error_line(refused, UsageError.exit_code, message_part)
    assert not (tmp_path / "runs").exists()
