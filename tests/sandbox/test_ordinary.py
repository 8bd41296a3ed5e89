"""Ordinary scripts run in the sandbox as in plain Python, and a repeated step gives the same bytes.

The sandbox compiles scripts in a restricted way and replaces parts of the standard library. A
model must not notice: `ordinary/*.txt` has hundreds of scripts as models write them, which are
also run by plain CPython for comparison.
"""

from typing import NamedTuple

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.script_corpus import ORDINARY_SCRIPT_FILES, corpus_scripts
from tests.sandbox.script_world import new_sandbox
from tests.support.command import run_python


def test_the_corpus_has_at_least_300_ordinary_scripts():
    """At least 100 of them, in a file of their own, are about functions."""
    other_files = [
        name for name in ORDINARY_SCRIPT_FILES if name != "ordinary/functions.txt"
    ]

    assert len(corpus_scripts(*other_files)) >= 200
    assert len(corpus_scripts("ordinary/functions.txt")) >= 100


def is_same_error(sandbox_error: str, plain_error: str) -> bool:
    """Compare the last lines of two tracebacks.

    The sandbox may add what to write instead: `KeyError: 'b'; config has the keys a` is the same
    as `KeyError: 'b'`. It describes an exit in words, `SystemExit: the script ended itself (code
    3)`, so that only the kind of the error is compared.
    """
    if plain_error.startswith("SystemExit"):
        return sandbox_error.startswith("SystemExit")
    if sandbox_error == plain_error:
        return True
    return sandbox_error.startswith(f"{plain_error}; ")


class Outcome(NamedTuple):
    """What a script printed, and the error that ended it, such as `KeyError: 'b'`, or ""."""

    output: str
    error: str


@pytest.fixture(scope="module")
def plain_python_outcomes() -> dict[str, Outcome]:
    """The outcome of every ordinary script in plain CPython, by the script's title."""
    result = run_python(
        "-m",
        "tests.sandbox.plain_python_reference",
        *ORDINARY_SCRIPT_FILES,
        PYTHONHASHSEED="0",
        TZ="UTC",
    )
    outcomes = {}
    for title, (output, error) in result.json.items():
        outcomes[title] = Outcome(output, error)
    return outcomes


@pytest.mark.parametrize("file_name", ORDINARY_SCRIPT_FILES)
def test_every_ordinary_script_gives_what_plain_python_gives(
    file_name, server, plain_python_outcomes
):
    """Compared are the printed text and the last line of the traceback, if there is one.

    `corpus_scripts` returns the scripts of a file, each with its title.
    """
    differences = {}
    # The few ordinary scripts that the sandbox refuses on purpose, and what it answers: they use
    # metaclasses and attributes by which a script could reach classes that it must not have.
    errors_of_refused_scripts = {
        "modules: abc with metaclass": "derive from a class, such as abc.ABC",
        "corners: abc details": "derive from a class, such as abc.ABC",
        "objects: mro shown": "special attribute '__subclasses__' is not available",
    }

    for title, source in corpus_scripts(file_name):
        with new_sandbox(server) as sandbox:
            result = sandbox.run(source)
        if title in errors_of_refused_scripts:
            assert errors_of_refused_scripts[title] in result.error
            continue

        plain = plain_python_outcomes[title]
        last_error_line = result.error.rpartition("\n")[2]
        is_same_output = result.output == plain.output
        if not is_same_output or not is_same_error(last_error_line, plain.error):
            differences[title] = (result, plain)

    assert differences == {}


UNSTEADY_SCRIPTS = {
    "sets": "print({'b', 'a', 'c', None, 1, (None, 'x'), frozenset([None])}, set('determinism'), {1.5, -1, 'q'})",
    "sets of types": "print({type(x) for x in (1, 'a', None, 1.5, [], {}, (), True)}, {int, str, None})",
    "addresses of objects": (
        "class A: pass\n"
        "class B(Exception): pass\n"
        "print(A(), [A()], len, (x for x in ()), lambda: 0, B)"
    ),
    "hashes": "print(hash('x'), hash((1, None)), hash(None))",
    "random numbers": "import random as r\nprint(r.random(), r.Random().random(), r.sample(range(99), 5), r.gauss(0, 1))",
    "samples of a distribution": (
        "from statistics import NormalDist\nprint(NormalDist(0, 1).samples(3))"
    ),
    "uuids": "import uuid\nprint(uuid.uuid4(), uuid.uuid1(), uuid.uuid4())",
    "source that the compiler warns about": (
        "import re\n"
        "from datetime import datetime\n"
        "assert (1, 'always true')\n"
        "print(re.findall('\\d', 'a1'), 1 is 1, datetime.utcfromtimestamp(0))"
    ),
    "clocks": (
        "from datetime import datetime, date, timezone\n"
        "import time\n"
        "print(datetime.now(), datetime.now(timezone.utc), datetime.utcnow(), date.today(), datetime.today())\n"
        "print(time.time(), time.ctime(), time.strftime('%c'), time.localtime(), time.gmtime().tm_min)\n"
        "print(time.monotonic(), time.perf_counter_ns(), time.process_time())"
    ),
    "sleep": "import time\nt = time.time()\ntime.sleep(90)\nprint(time.time() - t)",
    "addresses in an error": (
        "class A: pass\nraise ValueError(A(), object(), {None, 'a', 'b'})"
    ),
    "sets and addresses in the scratchpad": (
        "class A: pass\n"
        "scratchpad['s'] = {'b', 'a', 3, None, (1, None)}\n"
        "scratchpad['r'] = repr(A()) + repr(object())"
    ),
    "addresses in a call": (
        "class A: pass\n"
        "print(harness.exec('/bin/echo', [repr(A()), repr(lambda: 0)]).stdout)"
    ),
    "JSON of a set": "import json\nprint(json.dumps(list({'x', 'y', 'z', 'w'})), sorted({None: 1, 'a': 2}, key=str))",
    "the attributes of an object": (
        "class A: pass\na = A()\na.z, a.b = 1, 2\nprint(vars(a), dir(a))"
    ),
    "chained exceptions": (
        "def f():\n"
        "    raise KeyError({'b', 'a'})\n"
        "try:\n"
        "    f()\n"
        "except KeyError as e:\n"
        "    raise RuntimeError(repr(f)) from e"
    ),
}  # fmt: skip
"""Scripts whose output differs from process to process, or from time to time, in plain Python."""

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
"""A step that changes memory, caches, random state and settings of its process."""

TRIAL_SEED = 7
STEP_NUMBER = 4
"""The seed of the trial and the number of the step in it: random numbers and clocks of a step
depend on these two alone."""


def run_step(sandbox, code):
    """Run a script as the step of that number; return its result without the time it took."""
    result = sandbox.run(code, step=STEP_NUMBER)
    return result.output, result.error, result.ending, result.scratchpad


@pytest.fixture(scope="module")
def other_server():
    """A second fork server, whose processes have other addresses in memory."""
    with ForkServer() as server:
        yield server


@pytest.mark.parametrize("title", UNSTEADY_SCRIPTS)
def test_a_step_gives_the_same_in_another_process_and_after_other_steps(
    title, server, other_server
):
    """A trial can be replayed only if each of its steps gives the same bytes again."""
    script = UNSTEADY_SCRIPTS[title]

    with new_sandbox(server, seed=TRIAL_SEED) as sandbox:
        first_outcome = run_step(sandbox, script)
    with new_sandbox(other_server, seed=TRIAL_SEED) as sandbox:
        outcome_elsewhere = run_step(sandbox, script)
    with new_sandbox(server, seed=TRIAL_SEED) as sandbox:
        for step in range(1, STEP_NUMBER):
            sandbox.run(NOISY_STEP, step=step)
        outcome_after_noise = run_step(sandbox, script)

    assert outcome_elsewhere == first_outcome
    assert outcome_after_noise == first_outcome
    # The address of an object in memory, as in `<A object at 0x7f2c...>`.
    assert " at 0x7f" not in str(first_outcome)
