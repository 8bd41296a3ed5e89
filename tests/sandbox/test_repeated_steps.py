"""A script that runs again as the same step of a trial gives the same bytes.

A recorded trial can be replayed only if its steps do. In plain Python `print({"a", "b"})` has
another order in each process, `random.random()` and `datetime.now()` differ every time, and
`print(object())` shows an address in memory. In the sandbox all of them depend on the trial's
seed and the number of the step alone.
"""

from typing import NamedTuple

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.opened_sandboxes import new_sandbox


@pytest.fixture(scope="module")
def other_server():
    """A second fork server, whose processes have other addresses in memory."""
    with ForkServer() as server:
        yield server


class StepResult(NamedTuple):
    """All of the result of a step but the time it took."""

    output: str
    error: str
    ending: str
    scratchpad: object


def run_as_step_4(sandbox, script):
    """Run a script as step 4 of its trial, and return its `StepResult`."""
    result = sandbox.run(script, step=4)
    return StepResult(result.output, result.error, result.ending, result.scratchpad)


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


class RepeatedResults(NamedTuple):
    """The results of a script that ran three times as step 4 of a trial with the seed 7."""

    first: StepResult
    in_another_process: StepResult
    """In a process of another server."""
    after_other_steps: StepResult
    """In a process that has run three other steps before."""


def results_of_repeating(script, server, other_server):
    """Run a script three times as the same step; return the `RepeatedResults`."""
    with new_sandbox(server, seed=7) as sandbox:
        first = run_as_step_4(sandbox, script)
    with new_sandbox(other_server, seed=7) as sandbox:
        in_another_process = run_as_step_4(sandbox, script)
    with new_sandbox(server, seed=7) as sandbox:
        for earlier_step in (1, 2, 3):
            sandbox.run(NOISY_STEP, step=earlier_step)
        after_other_steps = run_as_step_4(sandbox, script)
    return RepeatedResults(first, in_another_process, after_other_steps)


def assert_shows_no_address(result):
    """An object is not shown with its address in memory, as in `<A object at 0x7f2c...>`."""
    assert " at 0x7f" not in str(result)


class TestSetsAndHashes:
    """A set has the same order, and a value the same hash, in each process.

    In plain Python, hashes of texts differ from process to process, and with them the order of a
    set. In the sandbox they are always the same.
    """

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
                "import json\n"
                "print(json.dumps(list({'x', 'y', 'z', 'w'})))\n"
                "print(sorted({None: 1, 'a': 2}, key=str))",
                id="JSON of a set",
            ),
            pytest.param(
                "print(hash('x'), hash((1, None)), hash(None))",
                id="hashes",
            ),
        ],
    )
    def test_a_step_gives_the_same_in_another_process_and_after_other_steps(
        self, script, server, other_server
    ):
        results = results_of_repeating(script, server, other_server)

        assert results.in_another_process == results.first
        assert results.after_other_steps == results.first
        assert_shows_no_address(results.first)


class TestAddresses:
    """An object is not shown with its address in memory, as in `<A object at 0x7f2c...>`.

    Addresses differ from process to process, and what a script prints is recorded. In the
    sandbox, an address that does not depend on the process takes the place of the real one.
    """

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
                "class A: pass\na = A()\na.z, a.b = 1, 2\nprint(vars(a), dir(a))",
                id="the attributes of an object",
            ),
            pytest.param(
                "class A: pass\nraise ValueError(A(), object(), {None, 'a', 'b'})",
                id="addresses in an error",
            ),
            pytest.param(
                "def f():\n"
                "    raise KeyError({'b', 'a'})\n"
                "try:\n"
                "    f()\n"
                "except KeyError as e:\n"
                "    raise RuntimeError(repr(f)) from e",
                id="chained exceptions",
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
        self, script, server, other_server
    ):
        results = results_of_repeating(script, server, other_server)

        assert results.in_another_process == results.first
        assert results.after_other_steps == results.first
        assert_shows_no_address(results.first)


class TestChanceAndTime:
    """Random numbers come from the seed, and the clocks of scripts only go on while they sleep.

    In plain Python, `random.random()` and `datetime.now()` differ each time. In the sandbox,
    both depend on the trial's seed and start, and on the number of the step.
    """

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
                "import time\n"
                "t = time.time()\n"
                "time.sleep(90)\n"  # The script's clock goes on by 90 s, and nobody waits.
                "print(time.time() - t)",
                id="sleep",
            ),
        ],
    )
    def test_a_step_gives_the_same_in_another_process_and_after_other_steps(
        self, script, server, other_server
    ):
        results = results_of_repeating(script, server, other_server)

        assert results.in_another_process == results.first
        assert results.after_other_steps == results.first
        assert_shows_no_address(results.first)


WARNED_SCRIPT = """
import re
from datetime import datetime
assert (1, 'always true')
print(re.findall('\\d', 'a1'))
print(1 is 1)
print(datetime.utcfromtimestamp(0))
"""
"""A script that Python warns about: "assertion is always true", "invalid escape sequence" ..."""


class TestWarnings:
    """What Python warns about is not printed.

    Plain Python prints a warning only for the first time in a process, and so not in each run of a
    step.
    """

    def test_only_what_the_script_prints_is_in_its_output(self, server):
        with new_sandbox(server, seed=7) as sandbox:
            result = run_as_step_4(sandbox, WARNED_SCRIPT)

        assert result.output.splitlines() == ["['1']", "True", "1970-01-01 00:00:00"]

    def test_a_step_with_warnings_gives_the_same_in_another_process_and_after_others(
        self, server, other_server
    ):
        results = results_of_repeating(WARNED_SCRIPT, server, other_server)

        assert results.in_another_process == results.first
        assert results.after_other_steps == results.first
        assert_shows_no_address(results.first)
