"""No hostile script harms the machine, its parent or another trial.

This holds for a corpus of at least 300 attacks in `attacks/*.txt`, for attacks by other authors,
and for code that runs when objects are deleted. The language layer, the process layer and the
kernel layer each hold for themselves.
"""

import json
import os

import pytest

from controlplane.sandbox import Ending, Layer, Limits, parse_isolation
from tests.sandbox.attack_checks import ATTACK_IN_NEXT_STEP, SECRET, SHARED_STATE_CHECK
from tests.sandbox.local_parent import (
    OPERATION_NAMES,
    RecordingHost,
    memory_growth_below,
    new_sandbox,
)
from tests.sandbox.python_attacks import all_python_attacks, language_attacks
from tests.sandbox.script_corpus import corpus_scripts
from tests.support.product_files import ROOT

# Runs of attacks, and of a script after each that tries to profit by it.
#
# An attack is a hostile script, or several that are the steps of one trial.

ATTACKS_PER_SANDBOX = 8
"""How many attacks run in the same sandbox, because the start of a sandbox takes time."""

ATTACK_LIMITS = Limits(step_cpu_s=5.0)
"""Of the attacks that end by themselves, the longest takes about a second of CPU."""

ENDLESS_ATTACKS = (
    "steps: generator finalizer loops forever",
    "steps: generator in a cycle loops forever",
    "steps: a finalizer sleeps",
    "steps: a finalizer counts in C",
    "steps: a comparison that never ends waits in a cache",
)
"""The titles of attacks that go on until the limit of CPU ends one of their steps."""


def grouped_by_sandbox(attacks, *, each_alone):
    """Return the attacks in lists of eight, which run in the same sandbox one after the other.

    With `each_alone`, each gets a sandbox of its own, so that no attack can spoil what the next
    one needs; this takes much longer.
    """
    size = 1 if each_alone else ATTACKS_PER_SANDBOX
    return [attacks[start : start + size] for start in range(0, len(attacks), size)]


def check_attacks_gain_nothing(attacks, *, server, isolation, first_lines):
    """Run attacks in a new sandbox, and after each a script that tries to profit by it.

    An attack is a title and the scripts of its steps: `("tricks: format", ["print(...)"])`. The
    script after it tries to read a file that has `SECRET`, to connect to a port and so on, and
    prints LEAK if it could. It begins with `first_lines`, Python that names this file
    and this port: `CANARY = "/tmp/canary.txt"` and `PORT = 40123`. No step may show the secret,
    change a file, or make a call that is not declared.

    No limit may end an attack that is not endless: cut short, it would gain nothing, whatever the
    sandbox permits.
    """
    host = RecordingHost()
    with new_sandbox(
        server, host, isolation=isolation, limits=ATTACK_LIMITS
    ) as sandbox:
        for title, steps in attacks:
            results = [sandbox.run(step) for step in steps]
            next_result = sandbox.run(first_lines + ATTACK_IN_NEXT_STEP)

            if title not in ENDLESS_ATTACKS:
                assert Ending.LIMIT not in [each.ending for each in results], title
            assert next_result.ending is not Ending.LIMIT, title
            for result in (*results, next_result):
                assert SECRET not in result.output, title
                assert SECRET not in result.error, title
            assert "LEAK" not in next_result.output, title
            assert host.tree.changes == {}, title
            assert set(host.called_operations) <= OPERATION_NAMES, title


# Attacks on the sandbox by other authors, who did not know it, fail.
#
# Each line of their file is an attack with the text that it prints if it succeeds: `{"id": …, "code":
# …, "success_marker": "LEAK", "family": …}`. The file is not in this repository.

FOREIGN_ATTACKS = ROOT.parent / "shared/sandbox/attacks.jsonl"
attacks_by_others_pytestmark = pytest.mark.second_tier


@pytest.mark.skipif(
    not FOREIGN_ATTACKS.exists(), reason="the attacks of others are not here"
)
def test_no_attack_by_other_authors_succeeds(server):
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


# A script may leave code that Python runs when it deletes an object, and that never ends.
#
# The `finally` of a generator runs when Python deletes the generator, which may be after the last
# line of the script. The step of the script is then ended at its limit of CPU.

endless_finalizers_pytestmark = pytest.mark.second_tier


def test_an_endless_finalizer_ends_its_step_and_the_next_step_works(server):
    """A list that contains itself refers to the generator. So Python deletes both after the script's
    last line. What the script did before is kept."""
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


# The process and kernel layers hold without the language layer, which restricts Python.
#
# A script in unrestricted Python may import anything and call the system. Namespaces and seccomp (the
# kernel layer), and limits, an audit hook and other rights in the child process (the process layer)
# are what is left to stop it.

kernel_layer_pytestmark = pytest.mark.second_tier


class TestKernelLayer:
    """A script in unrestricted Python does not get through the kernel layer.

    Without the language layer a script may import anything and call the system. It prints LEAK
    if it reached the file, the port or the environment variable of the fixture `canary`, which
    tells the script where they are: `CANARY = "/tmp/.../canary.txt"`, `PORT = 40123`.
    """

    @pytest.mark.parametrize(
        "isolation", ["kernel", pytest.param("process,kernel", marks=pytest.mark.heavy)]
    )
    def test_no_attack_in_unrestricted_python_gets_through_the_kernel_layer(
        self, isolation, server, canary
    ):
        layers = frozenset(Layer(name) for name in isolation.split(","))
        leaks = {}
        for title, script in corpus_scripts("attacks/kernel.txt"):
            with new_sandbox(
                server, isolation=layers, limits=Limits(step_wall_s=1)
            ) as sandbox:
                result = sandbox.run(canary + script)
            if "LEAK" in result.output:
                leaks[title] = result

        assert leaks == {}


SHOW_RIGHTS = """
import os
ids = os.getresuid() + os.getresgid() + tuple(os.getgroups())
print("is root:", 0 in ids)
print("sees /etc:", os.access("/etc", os.F_OK))
"""


class TestRightsOfRoot:
    """The process layer takes the rights of root from a script, if root runs the tests.

    The script prints whether any of its ids is that of root, and whether it sees `/etc`.
    """

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
    def test_the_process_layer_takes_rights_and_files_from_a_script_of_root(
        self, server
    ):
        with new_sandbox(server, isolation=frozenset({Layer.PROCESS})) as sandbox:
            result = sandbox.run(SHOW_RIGHTS)

        assert result.output == "is root: False\nsees /etc: False\n"

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
    def test_without_isolation_a_script_of_root_is_root(self, server):
        """The same script shows that the process layer is what takes its rights."""
        with new_sandbox(server, isolation=frozenset()) as sandbox:
            result = sandbox.run(SHOW_RIGHTS)

        assert result.output == "is root: True\nsees /etc: True\n"


# Restricted Python, the language layer, keeps scripts from names and frames that are not theirs.
#
# A script of `attacks/language.txt` prints LEAK if it got, for example, at a frame of the interpreter
# by `generator.gi_frame`. `SHARED_STATE_CHECK` prints "whole" if modules and harness still work as
# before.

language_layer_pytestmark = pytest.mark.second_tier


def test_the_language_layer_keeps_scripts_from_names_and_frames_that_are_not_theirs(
    server,
):
    """Unlike other attacks, these must not even print LEAK in their own step."""
    leaks = {}
    for title, script in corpus_scripts("attacks/language.txt"):
        with new_sandbox(server) as sandbox:
            result = sandbox.run(script)
            check = sandbox.run(SHARED_STATE_CHECK)
        if "LEAK" in result.output or check.output != "whole\n":
            leaks[title] = result

    assert leaks == {}


# The corpus `attacks/*.txt` has at least 300 attacks, hostile scripts that try to get out of the sandbox.

size_of_corpus_pytestmark = pytest.mark.second_tier


def test_the_corpus_has_at_least_300_attacks():
    tricks_of_python = language_attacks()
    calls_of_the_system = corpus_scripts("attacks/kernel.txt")
    forged_messages = corpus_scripts("attacks/messages.txt")

    attacks = [*tricks_of_python, *calls_of_the_system, *forged_messages]
    assert len(attacks) >= 300


pytestmark = pytest.mark.second_tier

# Attacks, the hostile scripts in `attacks/*.txt`, harm nothing beyond the process in which they
# run.
#
# - The machine: the fixture `canary` makes a file and opens a port, and fails the test if the file
#   was changed, or somebody has connected to the port.
# - The parent: the test's own process starts the sandboxes, and must not need much more memory.
# - Another trial: a sandbox that was open before keeps its scratchpad. Its modules are whole: the
#   script `SHARED_STATE_CHECK` tries functions that attacks could have replaced, and prints "whole".
# - A later trial: the modules of a sandbox that is opened after the attacks are whole, too.


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
