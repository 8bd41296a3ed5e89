"""A script that runs again as the same step of a trial gives the same output, byte by byte.

Random numbers, the time, the order of sets, and addresses of objects are the same in any process
and after other steps. What Python warns about is not printed.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.local_parent import new_sandbox


@pytest.fixture(scope="session")
def other_server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


# The result of a script that runs again and again as the fourth step of a trial.
#
# result_of_step_4("print(1)", server).output   # "1\n"


class Result(NamedTuple):
    """All of the result of a step but the time it took."""

    output: str
    error: str
    ending: str
    scratchpad: object


NOISY_STEP = """
import re, json, random, decimal, sys
xs = [object() for _ in range(5000)]
re.compile('a+b')
random.seed(5)
decimal.getcontext().prec = 5
sys.setrecursionlimit(500)
class A: pass
print({A() for _ in range(50)}, [A()] * 3)
1 / 0
"""
"""A script that changes memory, caches, random state and settings of its process."""


def result_of_step_4(
    script: str, server: ForkServer, *, after_noisy_steps: bool = False
) -> Result:
    """Run a script as step 4 of a trial with the seed 7, in a new process of a server.

    The steps 1 to 3 are left out or, with `after_noisy_steps`, are each a `NOISY_STEP`.
    """
    with new_sandbox(server, seed=7) as sandbox:
        if after_noisy_steps:
            for earlier_step in (1, 2, 3):
                sandbox.run(NOISY_STEP, step=earlier_step)
        result = sandbox.run(script, step=4)
    return Result(result.output, result.error, result.ending, result.scratchpad)


# A script that runs again as the same step gets the same random numbers, and sees the same time.
#
# A trial can be replayed only if its steps give the same bytes again. In plain Python,
# `random.random()` and `datetime.now()` differ each time. In the sandbox, both depend on the trial's
# seed and start, and on the number of the step; clocks only go on while a script sleeps.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "import random as r\n"
            "print(r.random(), r.Random().random())\n"
            "print(r.sample(range(99), 5), r.gauss(0, 1))",
            id="random numbers",
        ),
        pytest.param(
            "from statistics import NormalDist\nprint(NormalDist(0, 1).samples(3))",
            id="samples of a distribution",
        ),
        pytest.param(
            "import uuid\nprint(uuid.uuid4(), uuid.uuid1(), uuid.uuid4())",
            id="uuids",
        ),
        pytest.param(
            "from datetime import datetime, date, timezone\n"
            "import time\n"
            "print(datetime.now(), datetime.now(timezone.utc), datetime.utcnow())\n"
            "print(date.today(), datetime.today())\n"
            "print(time.time(), time.ctime(), time.strftime('%c'))\n"
            "print(time.localtime(), time.gmtime().tm_min)\n"
            "print(time.monotonic(), time.perf_counter_ns(), time.process_time())",
            id="clocks",
        ),
        pytest.param(
            "import time\nt = time.time()\ntime.sleep(90)\nprint(time.time() - t)",
            id="sleep",
        ),
    ],
)
def test_a_step_gives_the_same_in_another_process_and_after_other_steps_of_chance_and_time(
    script: str, server: ForkServer, other_server: ForkServer
) -> None:
    """The script is the fourth step of a trial. The three before it are left out or, as the noisy
    steps, make thousands of objects and change settings of their process."""
    first = result_of_step_4(script, server)
    in_another_process = result_of_step_4(script, other_server)
    after_noisy_steps = result_of_step_4(script, server, after_noisy_steps=True)

    assert first.error == ""
    assert in_another_process == first
    assert after_noisy_steps == first


def test_a_clock_goes_on_by_the_time_that_a_script_sleeps(server: ForkServer) -> None:
    """Nobody waits for the 90 seconds."""
    script = "import time\nt = time.time()\ntime.sleep(90)\nprint(time.time() - t)"

    assert result_of_step_4(script, server).output == "90.0\n"


# A script that runs again as the same step of a trial shows sets in the same order.
#
# A trial can be replayed only if its steps give the same bytes again. In plain Python, hashes of
# texts differ from process to process, and with them the order of `{"a", "b"}`.


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
def test_a_step_gives_the_same_in_another_process_and_after_other_steps_of_sets(
    script: str, server: ForkServer, other_server: ForkServer
) -> None:
    """The script is the fourth step of a trial. The three before it are left out or, as the noisy
    steps, make thousands of objects and change settings of their process."""
    first = result_of_step_4(script, server)
    in_another_process = result_of_step_4(script, other_server)
    after_noisy_steps = result_of_step_4(script, server, after_noisy_steps=True)

    assert in_another_process == first
    assert after_noisy_steps == first


# What Python warns about in a script is not printed.
#
# Plain Python prints a warning only once in a process. Would a script's warnings be printed, a step
# that is run again could print something else, and the trial could not be replayed.

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


# A script that runs again as the same step of a trial shows the same addresses of objects.
#
# A trial can be replayed only if its steps give the same bytes again. In plain Python,
# `print(object())` shows an address in memory, `<object object at 0x7f2c…>`, which differs from
# process to process.
#
# Scripts have `scratchpad`, which is kept between steps, and `harness`, by which they make calls:
# `harness.exec("/bin/echo", ["a"])` runs a tool that prints its arguments.


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
