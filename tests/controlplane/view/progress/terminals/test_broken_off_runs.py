"""The user presses Ctrl-C twice, or closes the window: a run ends at once.

    stopped at once; ... resume 2031-05-04-...

Its journal, the record of the run, is kept, and the run can be resumed.
"""

import re

from controlplane.errors import Interrupted
from tests.controlplane.view.progress.terminals.run_terminals import Terminals
from tests.support.command import run_in_process
from tests.support.terminal import CTRL_C


def test_a_second_ctrl_c_ends_at_once_and_gives_the_terminal_back(
    terminals: Terminals,
) -> None:
    """The calls that play take 30 s; the run ends within 5 s."""
    with terminals.run("--concurrency", "3", trials=6, call_time_s=30) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")
        terminal.type(CTRL_C)
        assert terminal.finish(timeout_s=5) == Interrupted.exit_code
        assert terminal.is_as_before
        text = terminal.everything.replace("\n", "")

    # The message names the command that continues the run, such as `resume 2031-05-04-...`.
    assert re.search("stopped at once; .* resume ?2", text)
    listed = run_in_process("runs", cwd=terminals.folder)
    assert listed.out.rstrip().endswith("cut off")


def test_a_run_whose_terminal_is_closed_is_interrupted_and_can_be_resumed(
    terminals: Terminals,
) -> None:
    """The user closes the window, or a connection breaks."""
    with terminals.run("--concurrency", "3", trials=10, call_time_s=0.4) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.hang_up()
        assert terminal.wait() == Interrupted.exit_code

    last_event = terminals.journal_events()[-1]
    assert last_event["type"] == "run_closed"
    assert last_event["how"] == "interrupted"
    assert last_event["exit_code"] == Interrupted.exit_code
    resumed = run_in_process("resume", "last", "--quiet", cwd=terminals.folder)
    assert resumed.code == 0
