"""A broken `controlplane.toml` in the working folder is refused only by commands that need it.

The file says, for example, where the journals of runs are. `runs` and `show last` look there;
`show runs/a.jsonl` does not need it.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import run_in_process, write_config
from tests.support.recorded_run import RecordedRun


@pytest.mark.parametrize(
    ("configuration", "message_part"),
    [
        pytest.param("[run]\nruns_dir = 3\n", "runs_dir", id="number for a folder"),
        pytest.param("[run\n", "is not TOML", id="syntax error"),
    ],
)
def test_a_broken_configuration_is_refused_only_by_commands_that_need_it(
    configuration: str,
    message_part: str,
    recorded: RecordedRun,
    tmp_path: Path,
) -> None:
    """The configuration says where the journals are, unless the command names a path."""
    journal = recorded.journal
    write_config(tmp_path / "controlplane.toml", configuration)

    for command in (("runs",), ("show", "last")):
        refused = run_in_process(*command, cwd=tmp_path)
        assert refused.code == UsageError.exit_code
        assert message_part in refused.err

    shown = run_in_process("show", journal, cwd=tmp_path)
    listed = run_in_process("runs", "--runs-dir", journal.parent, cwd=tmp_path)
    assert f" replay {journal} " in shown.out
    assert listed.code == 0
