"""Hostile scripts of the corpus `attacks/*.txt` gain nothing beyond the step in which they run.

An attack is a script, one step of a trial, that tries to get out of the sandbox. It may print LEAK
in its own step, because what a script does to its own process gains it nothing. But it must not
change what other scripts find. `SHARED_STATE_CHECK` prints "whole" if the modules of a process work
as they should.
"""

import pytest

from controlplane.sandbox import Ending, parse_isolation
from tests.sandbox.attack_checks import SHARED_STATE_CHECK
from tests.sandbox.attack_runs import check_attacks_gain_nothing, grouped_by_sandbox
from tests.sandbox.opened_sandboxes import memory_growth_below, new_sandbox
from tests.sandbox.python_attacks import all_python_attacks, language_attacks
from tests.sandbox.recording_host import RecordingHost
from tests.sandbox.script_corpus import corpus_scripts

pytestmark = pytest.mark.second_tier


def test_the_corpus_has_at_least_300_attacks():
    """Most attack with tricks of Python; those of two files call the system, or forge
    messages."""
    attacks = language_attacks()
    attacks += corpus_scripts("attacks/kernel.txt", "attacks/messages.txt")

    assert len(attacks) >= 300


ALL_ATTACKS = all_python_attacks()


@pytest.mark.parametrize(
    "isolation", ["process,kernel", pytest.param("all", marks=pytest.mark.heavy)]
)
@pytest.mark.parametrize("start", range(0, len(ALL_ATTACKS), 40))
def test_no_attack_harms_the_machine_the_parent_or_another_trial(
    start, isolation, server, canary, heavy
):
    """1. Another sandbox is opened, and keeps a list in its scratchpad.
    2. The attacks run in sandboxes of their own; with `--heavy`, each in a new one.
    3. The other sandbox still has its list, and finds its modules whole.
    4. A sandbox that is opened after the attacks finds its modules whole, too.
    """
    attacks = ALL_ATTACKS[start : start + 40]
    other_host = RecordingHost()

    with (
        memory_growth_below(max_mib=64),
        new_sandbox(server, other_host) as other_sandbox,
    ):
        first_step = other_sandbox.run("scratchpad['kept'] = [1]\nkept = 1")
        assert first_step.ending is Ending.FINISHED

        for trial_attacks in grouped_by_sandbox(attacks, each_alone=heavy):
            check_attacks_gain_nothing(
                trial_attacks,
                server=server,
                isolation=parse_isolation(isolation),
                names_of_secrets=canary,
            )

        assert other_sandbox.run("print(scratchpad)").output == "{'kept': [1]}\n"
        assert other_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"

    # The two calls of SHARED_STATE_CHECK, and none of an attack.
    assert other_host.called_operations == ["stat", "read"]
    with new_sandbox(server) as later_sandbox:
        assert later_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"
