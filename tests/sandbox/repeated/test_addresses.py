"""A script that runs again as the same step of a trial shows the same addresses of objects.

A trial can be replayed only if its steps give the same bytes again. In plain Python,
`print(object())` shows an address in memory, `<object object at 0x7f2c…>`, which differs from
process to process.
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
    ],
)
def test_a_step_gives_the_same_in_another_process_and_after_other_steps(
    script: str, server: ForkServer, other_server: ForkServer
) -> None:
    first = result_of_step_4(script, server)
    in_another_process = result_of_step_4(script, other_server)
    after_noise = result_of_step_4(script, server, are_earlier_steps_noisy=True)

    assert in_another_process == first
    assert after_noise == first
    assert " at 0x7f" not in str(first)  # as real addresses begin: `<A at 0x7f2c...>`


def test_an_object_is_shown_with_an_address_that_stands_for_any(
    server: ForkServer,
) -> None:
    result = result_of_step_4("class A: pass\nprint(A())", server)

    assert result.output == "<__main__.A object at 0x5ab1e0000040>\n"
