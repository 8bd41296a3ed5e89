"""A script may leave code that Python runs when it deletes an object, and that never ends.

The `finally` of a generator runs when Python deletes the generator, which may be after the last
line of the script. The step of the script is then ended at its limit of CPU.
"""

import pytest

from controlplane.sandbox import Ending, Limits
from tests.sandbox.opened_sandboxes import new_sandbox

pytestmark = pytest.mark.second_tier


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
