"""Hostile scripts gain nothing, neither by Python tricks nor by system calls.

`attacks/*.txt` are scripts that try to get out of the sandbox. They print LEAK if they reached
what they must not have. Three layers stop them: *language* (restricted Python), *process* (limits
and an audit hook in the child process) and *kernel* (namespaces, seccomp). Scripts that call the
system are in `test_kernel_layer.py`, those that forge messages in `test_forged_messages.py`.
"""

import json
from pathlib import Path

import pytest

from controlplane.sandbox import Ending, Limits, parse_isolation
from tests.sandbox.attack_checks import SHARED_STATE_CHECK
from tests.sandbox.attack_runs import check_attacks_gain_nothing, grouped_by_sandbox
from tests.sandbox.opened_sandboxes import memory_growth_below, new_sandbox
from tests.sandbox.python_attacks import all_python_attacks, language_attacks
from tests.sandbox.recording_host import RecordingHost
from tests.sandbox.script_corpus import corpus_scripts

pytestmark = pytest.mark.second_tier


class TestCorpusOfAttacks:
    """The corpus has so many attacks that a hole in the sandbox should show."""

    def test_the_corpus_has_at_least_300_attacks(self):
        """Most attack with tricks of Python; those of two files call the system, or forge
        messages."""
        attacks = language_attacks()
        attacks += corpus_scripts("attacks/kernel.txt", "attacks/messages.txt")

        assert len(attacks) >= 300


ATTACKS_PER_TEST = 40
"""How many attacks run in one test, so that several processes share the work."""


PARENT_GROWTH_MIB = 64
"""How much memory the scripts of a test may cost the parent process at most."""

ALL_ATTACKS = all_python_attacks()


class TestAttacksByScripts:
    """An attack gains nothing beyond the step in which it runs.

    Each attack is a script that tries to get out of the sandbox. It may print LEAK in its own
    step, because what a script does to its own process gains it nothing. But it must not change
    what other scripts find. SHARED_STATE_CHECK prints "whole" if the modules and the harness of
    a process work as they should.
    """

    @pytest.mark.parametrize(
        "isolation", ["process,kernel", pytest.param("all", marks=pytest.mark.heavy)]
    )
    @pytest.mark.parametrize("start", range(0, len(ALL_ATTACKS), ATTACKS_PER_TEST))
    def test_no_attack_harms_the_machine_the_parent_or_another_trial(
        self, start, isolation, server, canary, heavy
    ):
        """1. Another sandbox is opened, and keeps a list in its scratchpad.
        2. The attacks run in sandboxes of their own; with `--heavy`, each in a new one.
        3. The other sandbox still has its list, and finds its modules whole.
        4. A sandbox that is opened after the attacks finds its modules whole, too.
        """
        attacks = ALL_ATTACKS[start : start + ATTACKS_PER_TEST]
        other_host = RecordingHost()

        with (
            memory_growth_below(PARENT_GROWTH_MIB),
            new_sandbox(server, other_host) as other_sandbox,
        ):
            first_step = other_sandbox.run("scratchpad['kept'] = [1]\nkept = 1")
            assert first_step.ending is Ending.FINISHED

            for trial_attacks in grouped_by_sandbox(attacks, each_alone=heavy):
                check_attacks_gain_nothing(
                    trial_attacks,
                    server=server,
                    isolation=parse_isolation(isolation),
                    canary=canary,
                )

            assert other_sandbox.run("print(scratchpad)").output == "{'kept': [1]}\n"
            assert other_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"

        # The two calls of SHARED_STATE_CHECK, and none of an attack.
        assert other_host.called_operations == ["stat", "read"]
        with new_sandbox(server) as later_sandbox:
            assert later_sandbox.run(SHARED_STATE_CHECK).output == "whole\n"


class TestLanguageLayer:
    """Restricted Python keeps scripts from names and frames that are not theirs."""

    def test_the_language_layer_keeps_scripts_from_names_and_frames_that_are_not_theirs(
        self, server
    ):
        """These attacks must not even print LEAK in their own step.

        SHARED_STATE_CHECK then prints "whole" if modules and harness still work as before.
        """
        leaks = {}
        for title, script in corpus_scripts("attacks/language.txt"):
            with new_sandbox(server) as sandbox:
                result = sandbox.run(script)
                check = sandbox.run(SHARED_STATE_CHECK)
            if "LEAK" in result.output or check.output != "whole\n":
                leaks[title] = result

        assert leaks == {}


FOREIGN_ATTACKS = Path(__file__).parents[3] / "shared/sandbox/attacks.jsonl"
"""Attacks by other authors, which are not in this repository."""


class TestAttacksByOthers:
    """Attacks by other authors, who did not know this sandbox, fail, too."""

    @pytest.mark.skipif(
        not FOREIGN_ATTACKS.exists(), reason="the attacks of others are not here"
    )
    def test_no_attack_by_other_authors_succeeds(self, server):
        """Each of their attacks names the text that it prints if it succeeds."""
        successful = []
        for line in FOREIGN_ATTACKS.read_text().splitlines():
            attack = json.loads(line)
            if attack["family"] in ("gate", "forge"):
                continue  # They attack the checks of answers, which are not in the sandbox.
            with new_sandbox(server) as sandbox:
                result = sandbox.run(attack["code"])
            if attack["success_marker"] in result.output:
                successful.append(attack["id"])

        assert successful == []


class TestEndlessFinalizers:
    """Code that Python runs when it deletes an object may never end.

    The `finally` of a generator runs when Python deletes the generator, which may be after the
    last line of the script. The step is then ended at its limit of CPU.
    """

    def test_an_endless_finalizer_ends_its_step_and_the_next_step_works(self, server):
        """The script leaves a generator whose `finally` block never ends.

        Python runs the block when it deletes the generator: after the script's last line, because a
        list that contains itself refers to the generator. What the script did before is kept.
        """
        script = """
scratchpad["kept"] = 1
print("printed")
def late():
    try:
        yield
    finally:
        while True:
            pass
going = late()
next(going)
circle = [going]
circle.append(circle)
"""
        with new_sandbox(server, limits=Limits(step_cpu_s=0.5)) as sandbox:
            endless_step = sandbox.run(script)
            next_step = sandbox.run("print(scratchpad)")

        assert endless_step.ending is Ending.LIMIT
        assert endless_step.output == "printed\n"
        assert "more than 0.5 s of CPU" in endless_step.error
        assert next_step.output == "{'kept': 1}\n"
