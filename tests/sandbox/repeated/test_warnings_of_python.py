"""What Python warns about in a script is not printed.

Plain Python prints a warning only once in a process. Would a script's warnings be printed, a step
that is run again could print something else, and the trial could not be replayed.
"""

from controlplane.sandbox import ForkServer
from tests.sandbox.repeated.repeated_steps import result_of_step_4

WARNED_SCRIPT = """
import re
from datetime import datetime
assert (1, 'always true')            # assertion is always true
print(re.findall('\\d', 'a1'))        # invalid escape sequence
print(1 is 1)                        # "is" with a literal
print(datetime.utcfromtimestamp(0))  # deprecated
"""


def test_only_what_the_script_prints_is_in_its_output(server: ForkServer) -> None:
    result = result_of_step_4(WARNED_SCRIPT, server)

    assert result.output.splitlines() == ["['1']", "True", "1970-01-01 00:00:00"]


def test_a_step_with_warnings_gives_the_same_in_another_process_and_after_others(
    server: ForkServer, other_server: ForkServer
) -> None:
    """The script is the fourth step of a trial. The three before it are left out or, as the noisy
    steps, make thousands of objects and change settings of their process."""
    first = result_of_step_4(WARNED_SCRIPT, server)
    in_another_process = result_of_step_4(WARNED_SCRIPT, other_server)
    after_noisy_steps = result_of_step_4(WARNED_SCRIPT, server, after_noisy_steps=True)

    assert in_another_process == first
    assert after_noisy_steps == first
