"""A script that runs again as the same step of a trial shows sets in the same order.

A trial can be replayed only if its steps give the same bytes again. In plain Python, hashes of
texts differ from process to process, and with them the order of `{"a", "b"}`.
"""

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.repeated.repeated_steps import result_of_step_4


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "print({'b', 'a', 'c', None, 1, (None, 'x'), frozenset([None])})\n"
            "print(set('determinism'), {1.5, -1, 'q'})",
            id="sets",
        ),
        pytest.param(
            "print({type(x) for x in (1, 'a', None, 1.5, [], {}, (), True)})\n"
            "print({int, str, None})",
            id="sets of types",
        ),
        pytest.param(
            "import json\nprint(json.dumps(list({'x', 'y', 'z', 'w'})))",
            id="JSON of a set",
        ),
        pytest.param(
            "print(sorted({None: 1, 'a': 2}, key=str))", id="the sorted keys of a dict"
        ),
        pytest.param("print(hash('x'), hash((1, None)), hash(None))", id="hashes"),
        pytest.param(
            "class A: pass\na = A()\na.z, a.b = 1, 2\nprint(vars(a), dir(a))",
            id="the attributes of an object",
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
