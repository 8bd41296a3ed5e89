"""Scripts as models write them give what plain
CPython gives, and the same bytes wherever they run."""

import pytest

from controlplane.sandbox import ForkServer, Sandbox
from tests.sandbox.script_world import (
    NOW,
    ORDINARY_SCRIPT_FILES,
    TOOL_SCHEMA,
    RecordingHost,
    corpus_scripts,
)
from tests.support.command import run_python

REFUSED = {
    "modules: abc with metaclass": "derive from a class, such as abc.ABC",
    "corners: abc details": "derive from a class, such as abc.ABC",
    "objects: mro shown": "special attribute '__subclasses__' is not available",
}
"""Scripts that the language layer refuses, with what it tells them."""


@pytest.fixture(scope="module")
def reference() -> dict[str, list[str]]:
    return run_python(
        "-m",
        "tests.sandbox.plain_python_reference",
        *ORDINARY_SCRIPT_FILES,
        PYTHONHASHSEED="0",
        TZ="UTC",
    ).json


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


def test_the_corpus_is_as_large_as_promised():
    assert (
        len(
            [
                title
                for title, _ in corpus_scripts(*ORDINARY_SCRIPT_FILES)
                if not title.startswith("functions")
            ]
        )
        >= 200
    )
    assert len(corpus_scripts("ordinary/functions.txt")) >= 100


@pytest.mark.parametrize("name", ORDINARY_SCRIPT_FILES)
def test_every_script_gives_what_plain_python_gives(name, server, reference):
    differing = {}
    for title, source in corpus_scripts(name):
        with Sandbox(
            TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server
        ) as box:
            result = box.run(source)
        if title in REFUSED:
            assert REFUSED[title] in result.error
            continue
        last = (result.error.splitlines() or [""])[-1]
        output, error = reference[title]
        if error.startswith("SystemExit"):
            error = last if last.startswith("SystemExit") else error
        # A script is also told what to write instead: `KeyError: 'b'; config has the keys a`.
        message = error if last.startswith(f"{error}; ") else last
        if (result.output, message) != (output, error):
            differing[title] = (result.output, result.error, output, error)

    assert differing == {}


SCRIPTS = {
    "sets": "print({'b', 'a', 'c', None, 1, (None, 'x'), frozenset([None])}, set('determinism'), {1.5, -1, 'q'})",
    "sets of types": "print({type(x) for x in (1, 'a', None, 1.5, [], {}, (), True)}, {int, str, None})",
    "addresses": "class A: pass\nclass B(Exception): pass\nprint(A(), [A()], len, (x for x in ()), lambda: 0, B)",
    "hashes": "print(hash('x'), hash((1, None)), hash(None))",
    "random": "import random as r\nprint(r.random(), r.Random().random(), r.sample(range(99), 5), r.gauss(0, 1))",
    "samples": "from statistics import NormalDist\nprint(NormalDist(0, 1).samples(3))",
    "uuids": "import uuid\nprint(uuid.uuid4(), uuid.uuid1(), uuid.uuid4())",
    "odd source": "import re\nfrom datetime import datetime\nassert (1, 'always true')\n"
    "print(re.findall('\\d', 'a1'), 1 is 1, datetime.utcfromtimestamp(0))",
    "now": "from datetime import datetime, date, timezone\nimport time\n"
    "print(datetime.now(), datetime.now(timezone.utc), datetime.utcnow(), date.today(), datetime.today())\n"
    "print(time.time(), time.ctime(), time.strftime('%c'), time.localtime(), time.gmtime().tm_min)\n"
    "print(time.monotonic(), time.perf_counter_ns(), time.process_time())",
    "sleep": "import time\nt = time.time()\ntime.sleep(90)\nprint(time.time() - t)",
    "errors": "class A: pass\nraise ValueError(A(), object(), {None, 'a', 'b'})",
    "scratchpad": "class A: pass\nscratchpad['s'] = {'b', 'a', 3, None, (1, None)}\n"
    "scratchpad['r'] = repr(A()) + repr(object())",
    "calls": "class A: pass\nprint(harness.exec('/bin/echo', [repr(A()), repr(lambda: 0)]).stdout)",
    "json of a set": "import json\nprint(json.dumps(list({'x', 'y', 'z', 'w'})), sorted({None: 1, 'a': 2}, key=str))",
    "a dict of attributes": "class A: pass\na = A()\na.z, a.b = 1, 2\nprint(vars(a), dir(a))",
    "exceptions chained": "def f():\n    raise KeyError({'b', 'a'})\n"
    "try:\n    f()\nexcept KeyError as e:\n    raise RuntimeError(repr(f)) from e",
}
NOISE = """
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


def outcome(box, code, step):
    result = box.run(code, step=step)
    return result.output, result.error, result.ending, result.scratchpad


@pytest.fixture(scope="module")
def other_server():
    with ForkServer() as server:
        yield server


@pytest.mark.parametrize("title", SCRIPTS)
def test_a_step_is_the_same_in_another_process_and_after_other_steps(
    title, server, other_server
):
    found = []
    for fork_server in (server, other_server):
        with Sandbox(
            TOOL_SCHEMA, RecordingHost(), now=NOW, seed=7, server=fork_server
        ) as box:
            found.append(outcome(box, SCRIPTS[title], 4))
    with Sandbox(TOOL_SCHEMA, RecordingHost(), now=NOW, seed=7, server=server) as box:
        for step in (1, 2, 3):
            box.run(NOISE, step=step)
        found.append(outcome(box, SCRIPTS[title], 4))

    assert found[0] == found[1] == found[2]
    assert " at 0x7f" not in str(found)
