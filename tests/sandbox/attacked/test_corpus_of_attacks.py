"""Attacks, the hostile scripts in `attacks/*.txt`, harm nothing beyond the process in which they run.

- The machine: the fixture `canary` makes a file and opens a port, and fails the test if the file
  was changed, or somebody has connected to the port.
- The parent: the test's own process starts the sandboxes, and must not need much more memory.
- Another trial: a sandbox that was open before keeps its scratchpad. Its modules are whole: the
  script `SHARED_STATE_CHECK` tries functions that attacks could have replaced, and prints "whole".
- A later trial: the modules of a sandbox that is opened after the attacks are whole, too.
"""

import pytest

from controlplane.sandbox import Ending, parse_isolation
from tests.sandbox.attack_checks import SHARED_STATE_CHECK
from tests.sandbox.attack_runs import check_attacks_gain_nothing, grouped_by_sandbox
from tests.sandbox.opened_sandboxes import memory_growth_below, new_sandbox
from tests.sandbox.python_attacks import all_python_attacks
from tests.sandbox.recording_host import RecordingHost

pytestmark = pytest.mark.second_tier

ALL_ATTACKS = all_python_attacks()


@pytest.mark.parametrize(
    "isolation", ["process,kernel", pytest.param("all", marks=pytest.mark.heavy)]
)
@pytest.mark.parametrize("start", range(0, len(ALL_ATTACKS), 40))
def test_no_attack_harms_the_machine_the_parent_or_another_trial(
    start, isolation, server, canary, heavy
):
    """Forty attacks, eight in the same sandbox. With `--heavy`, each has a sandbox of its own."""
    other_host = RecordingHost()
    with (
        memory_growth_below(max_mib=64),
        new_sandbox(server, other_host) as other_sandbox,
    ):
        first_step = other_sandbox.run("scratchpad['kept'] = [1]")
        assert first_step.ending is Ending.FINISHED

        attacks = ALL_ATTACKS[start : start + 40]
        for attacks_of_sandbox in grouped_by_sandbox(attacks, each_alone=heavy):
            check_attacks_gain_nothing(
                attacks_of_sandbox,
                server=server,
                isolation=parse_isolation(isolation),
                first_lines=canary,
            )

        assert other_sandbox.run("print(scratchpad)").output == "{'kept': [1]}\n"
        assert other_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"

    # SHARED_STATE_CHECK has made these two calls. No attack has made one here.
    assert other_host.called_operations == ["stat", "read"]
    with new_sandbox(server) as later_sandbox:
        assert later_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"
