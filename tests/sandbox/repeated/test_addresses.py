"""A script that runs again as the same step of a trial shows the same addresses of objects.

A trial can be replayed only if its steps give the same bytes again. In plain Python,
`print(object())` shows an address in memory, `<object object at 0x7f2c…>`, which differs from
process to process.

Scripts have `scratchpad`, which is kept between steps, and `harness`, by which they make calls:
`harness.exec("/bin/echo", ["a"])` runs a tool that prints its arguments.
"""

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.repeated.repeated_steps import result_of_step_4


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "class A: pass\n"
            "class B(Exception): pass\n"
            "print(A(), [A()], len, (x for x in ()), lambda: 0, B)",
            id="addresses of objects",
        ),
        pytest.param(
            "class A: pass\nraise ValueError(A(), object(), {None, 'a', 'b'})",
            id="addresses in an error",
        ),
        pytest.param(
            "class A: pass\n"
            "print(harness.exec('/bin/echo', [repr(A()), repr(lambda: 0)]).stdout)",
            id="addresses in a call",
        ),
        pytest.param(
            "class A: pass\n"
            "scratchpad['s'] = {'b', 'a', 3, None, (1, None)}\n"
            "scratchpad['r'] = repr(A()) + repr(object())",
            id="sets and addresses in the scratchpad",
        ),
        pytest.param(
            "def f():\n"
            "    raise KeyError({'b', 'a'})\n"
            "try:\n"
            "    f()\n"
            "except KeyError as e:\n"
            "    raise RuntimeError(repr(f)) from e",
            id="sets and addresses in chained exceptions",
        ),
    ],
)
def test_a_step_gives_the_same_in_another_process_and_after_other_steps(
    script: str, server: ForkServer, other_server: ForkServer
) -> None:
    """The script is the fourth step of a trial. The three before it are left out or, as the noisy
    steps, make thousands of objects and change settings of their process."""
    first = result_of_step_4(script, server)
    in_another_process = result_of_step_4(script, other_server)
    after_noisy_steps = result_of_step_4(script, server, after_noisy_steps=True)

    assert in_another_process == first
    assert after_noisy_steps == first
    assert " at 0x7f" not in str(first)  # as real addresses begin: `<A at 0x7f2c...>`


def test_an_object_is_shown_with_an_address_that_stands_for_any(
    server: ForkServer,
) -> None:
    """All objects show the same made-up address, wherever they are in memory."""
    result = result_of_step_4("class A: pass\nprint(A())\nprint(A())", server)

    shown_object = "<__main__.A object at 0x5ab1e0000040>\n"
    assert result.output == 2 * shown_object
