"""Runs of attacks, and of a script after each that tries to profit by it.

An attack is a hostile script, or several that are the steps of one trial.
"""

from tests.sandbox.attack_checks import ATTACK_IN_NEXT_STEP, SECRET
from tests.sandbox.declared_calls import OPERATION_NAMES
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.recording_host import RecordingHost

ATTACKS_PER_SANDBOX = 8
"""How many attacks run one after the other in the same sandbox, which saves its start."""


def grouped_by_sandbox(attacks, *, each_alone):
    """Return the attacks in lists of eight, or of one if `each_alone`.

    Those of one list are run in the same sandbox.
    """
    size = 1 if each_alone else ATTACKS_PER_SANDBOX
    return [attacks[start : start + size] for start in range(0, len(attacks), size)]


def check_attacks_gain_nothing(attacks, *, server, isolation, canary):
    """Run attacks in a new sandbox, and after each a script that tries to profit by it.

    An attack is a title and the scripts of its steps: `("tricks: format", ["print(...)"])`. The
    script after it tries to read the file of the test's secret, to open a socket and so on, and
    prints LEAK if it could. No step may show the secret, change a file, or call what is not
    declared.
    """
    host = RecordingHost()
    with new_sandbox(server, host, isolation=isolation) as sandbox:
        for title, steps in attacks:
            results = [sandbox.run(step) for step in steps]
            next_result = sandbox.run(canary + ATTACK_IN_NEXT_STEP)

            for result in (*results, next_result):
                assert SECRET not in result.output, title
                assert SECRET not in result.error, title
            assert "LEAK" not in next_result.output, title
            assert host.tree.changes == {}, title
            assert set(host.called_operations) <= OPERATION_NAMES, title
