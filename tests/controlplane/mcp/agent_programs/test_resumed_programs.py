"""The program of an interrupted trial is started again when the run is resumed, and told so.

The variable CONTROLPLANE_RESUMED of its environment is then 1. What it has read before the interrupt is
in the journal of the run, and the program can cite it.
"""

import signal
import sys
from pathlib import Path

from controlplane.errors import Interrupted
from tests.controlplane.mcp.agent_programs.fee_task import write_fee_task
from tests.support.command import run_in_process, start_controlplane, wait_until


def test_program_of_an_interrupted_trial_is_started_again_and_told_so(
    tmp_path: Path,
) -> None:
    """At its first start, the program makes a call, and waits. The run is interrupted, as by Ctrl-C,
    and resumed. The program is started with CONTROLPLANE_RESUMED=1, and cites the file that it has read
    before."""
    play = write_fee_task(
        tmp_path,
        """
call() { "$PYTHON" -m controlplane mcp call "$@"; }
if [ "$CONTROLPLANE_RESUMED" = 1 ]
then
    call report_completion '{
        "answer": "7 EUR",
        "citations": [{"path": "/notes.md", "reason": "fee: 7 EUR"}]
    }'
else
    call read '{"path": "/notes.md"}'
    touch has_made_a_call
    exec sleep 600
fi
""",
    )

    with start_controlplane(*play, cwd=tmp_path, PYTHON=sys.executable) as run:
        wait_until((tmp_path / "has_made_a_call").exists)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == Interrupted.exit_code
    resumed_run = run_in_process(
        "resume", "last", "--json", cwd=tmp_path, PYTHON=sys.executable
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert resumed_run.code == 0, resumed_run.err + resumed_run.out
    (trial,) = resumed_run.json["trials"]
    assert trial["score"] == 1.0
    assert replay.code == 0
