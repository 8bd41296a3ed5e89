"""Runs of attacks, and of a script after each that tries to profit by it.

An attack is a hostile script, or several that are the steps of one trial.
"""

from controlplane.sandbox import Ending, Limits
from tests.sandbox.attack_checks import ATTACK_IN_NEXT_STEP, SECRET
from tests.sandbox.declared_calls import OPERATION_NAMES
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.recording_host import RecordingHost

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
