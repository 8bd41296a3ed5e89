"""A script loses its own step at most, whatever it does, and the next step works.

Endless loops, deep recursion, scripts that are hard to parse, too much memory, CPU time, calls or
output, and exits of any kind end only the step. A fork server that is killed costs one step, and
leaves no process behind. The scratchpad stays as it was. `verify` may read, and change nothing.
"""

import os
import resource
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from controlplane.sandbox import Ending, ForkServer, Layer, Limits
from tests.sandbox.local_parent import memory_growth_below, new_sandbox, run_to_its_end
from tests.sandbox.parent.processes import descendants, linux_only, wait_until_gone
from tests.support.command import run_python
from tests.support.product_files import ROOT

# `verify`, a script's own check of its answer, may read files, but change nothing.
#
# `harness.answer(scratchpad, verify)` hands in an answer. The host, the parent's side of the sandbox,
# then calls `verify` twice, about the answer and about a blank one, with a copy of the scratchpad.


def test_verify_works_on_a_copy_of_the_scratchpad(sandbox):
    """`verify` changes the answer in its copy."""
    code = """
def verify(sp):
    sp["answer"] = "changed"
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
print(scratchpad)
"""

    result = run_to_its_end(sandbox, code)

    assert result.output == "{'answer': 'x'}\n"


def test_verify_may_read_files_and_run_tools_that_change_nothing(sandbox, host):
    code = """
def verify(sp):
    harness.read("/docs/checkout.md")
    harness.exec("/bin/id")
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
"""

    run_to_its_end(sandbox, code)

    # Once for the answer, and once for a blank one.
    assert host.called_operations == ["read", "exec", "read", "exec"]
    assert all(call.in_verify for call in host.calls)


# A script that ends itself by an exit of its own making leaves its scratchpad as it was.
#
# Each script of a trial is one step of a `Sandbox`, and only the mapping `scratchpad` is kept between
# steps. A script may end itself by `SystemExit` with a code of its own class, or by a subclass of
# `SystemExit`. To describe such an exit, the sandbox has to run methods that the script has written.


@pytest.mark.parametrize(
    ("exiting_lines", "error"),
    [
        pytest.param(
            "class E:\n"
            "    def __str__(self): raise ValueError('x')\n"
            "raise SystemExit(E())",
            "ValueError while a SystemExit was described",
            id="the reason cannot be printed",
        ),
        pytest.param(
            "class S(SystemExit):\n"
            "    @property\n"
            "    def code(self): raise BaseException('x')\n"
            "raise S(0)",
            "BaseException while a S was described",
            id="the exit code raises an exception",
        ),
    ],
)
def test_an_exit_that_cannot_be_described_leaves_the_scratchpad_as_it_was(
    exiting_lines, error, sandbox
):
    result = sandbox.run(f"scratchpad['k'] = 1\n{exiting_lines}")

    assert result.ending is Ending.RAISED
    assert result.error == error
    assert result.scratchpad == {"k": 1}


def test_an_exit_by_a_subclass_counts_as_an_error_whatever_its_code_is(sandbox):
    """`raise SystemExit(0)` would end the step without an error. A subclass may claim any code."""
    result = sandbox.run(
        """
scratchpad['k'] = 1
class S(SystemExit):
    code = property(lambda self: 0)
raise S('why')
"""
    )

    assert result.ending is Ending.RAISED
    assert result.error == "SystemExit: the script ended itself (code 0)"
    assert result.scratchpad == {"k": 1}


# A `verify` that never returns ends its step, and the next step works.
#
# `harness.answer(scratchpad, verify)` hands in an answer with the script's own check of it. The host,
# which gets the answer, is told that a check which hangs says no.


@pytest.mark.parametrize(
    "endless_expression", ["sum(range(10 ** 13))", "[0 for _ in iter(int, 1)]"]
)
def test_a_verify_that_hangs_ends_its_step_and_the_next_step_works(
    open_sandbox, host, endless_expression
):
    sandbox = open_sandbox(limits=Limits(verify_s=0.2))

    result = sandbox.run(
        "scratchpad['answer'] = 'x'\n"
        f"harness.answer(scratchpad, lambda sp: {endless_expression})"
    )

    assert result.ending is Ending.LIMIT
    assert result.error == "verify ran longer than 0.2 s"
    assert not host.verify_replies[0].to_answer.says_yes
    next_step = run_to_its_end(sandbox, "print(scratchpad['answer'])")
    assert next_step.output == "x\n"


# `verify`, a script's own check of its answer, may not change anything.
#
# `harness.answer(scratchpad, verify)` hands in an answer. The host, the parent's side of the sandbox,
# then calls `verify` twice, about the answer and about a blank one. A call such as
# `harness.write("/x", "y")` in it fails with the error `permission_denied`.


@pytest.mark.parametrize(
    "refused_call",
    [
        pytest.param('harness.write("/x", "y")', id="write a file"),
        pytest.param('harness.delete("/docs/checkout.md")', id="delete a file"),
        pytest.param('harness.exec("/bin/checkout")', id="run a tool that changes"),
        pytest.param('harness.exec("/bin/unknown")', id="run an unknown tool"),
        pytest.param(
            'scratchpad.cite("/docs/checkout.md", "a long reason")', id="cite a file"
        ),
        pytest.param("harness.answer(scratchpad, verify)", id="answer once more"),
    ],
)
def test_verify_may_change_nothing(sandbox, host, refused_call):
    """`verify` makes the call, and notes the error."""
    code = f"""
errors = []
def verify(sp):
    try:
        {refused_call}
        errors.append("none")
    except HarnessError as error:
        errors.append(error.code)
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
print(*errors)
"""

    result = run_to_its_end(sandbox, code)

    # Once for the answer, and once for a blank one.
    assert result.output == "permission_denied permission_denied\n"
    assert host.calls == []


# A script hands in an answer with a check of it, and the host gets both.
#
# `harness.answer(scratchpad, verify)` submits the scratchpad to the host, the parent's side that
# answers a script's calls. The host asks `verify`, the script's own check, about the answer and about
# a blank one.


def test_the_host_gets_an_answer_as_json(sandbox, host):
    """Values that JSON does not have are sent as texts, and a set as a sorted list."""
    code = """
from decimal import Decimal
from datetime import date
scratchpad["answer"] = "7"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["when"] = date(2026, 1, 2)
scratchpad["cost"] = Decimal("1.5")
scratchpad["tags"] = {"b", "a"}
harness.answer(scratchpad, lambda sp: True)
"""

    run_to_its_end(sandbox, code)

    assert host.answers == [
        {
            "answer": "7",
            "outcome": "OUTCOME_OK",
            "when": "2026-01-02",
            "cost": "1.5",
            "tags": ["a", "b"],
        }
    ]


def test_the_host_asks_verify_about_the_answer_and_about_a_blank_one(sandbox, host):
    """A check that says yes to both checks nothing."""
    code = """
scratchpad["answer"] = "7"
def verify(sp):
    assert sp.answer == sp["answer"]
    return {"ok": sp["answer"] == "7"}
harness.answer(scratchpad, verify)
"""

    run_to_its_end(sandbox, code)

    assert len(host.verify_replies) == 1
    replies = host.verify_replies[0]
    assert replies.to_answer.says_yes  # "7" == "7"
    assert not replies.to_blank_answer.says_yes


def test_every_call_after_an_accepted_answer_fails(sandbox):
    """A trial has one answer, and nothing may change behind it."""
    code = """
scratchpad["answer"] = "x"
harness.answer(scratchpad, lambda sp: True)
for call in (
    lambda: harness.stat("/docs"),
    lambda: scratchpad.cite("/docs", "long enough"),
    lambda: harness.answer(scratchpad, 1),
):
    try:
        call()
    except HarnessError as error:
        print(error.code, error.message)
"""

    result = run_to_its_end(sandbox, code)

    error = "failed_precondition the answer was accepted; the trial is over"
    assert result.output.splitlines() == [error, error, error]


# A script of calls without end, or of a long chain of classes, loses its own step and no more.
#
# `def f(): f()` recurses until the stack of its process is full. In a chain, each class derives from
# the one before. The error is short, and the next script of the trial works.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("def f(): f()\nf()", id="a function"),
        pytest.param(
            "class C:\n    def __repr__(self): return repr(self)\nrepr(C())",
            id="a repr",
        ),
        pytest.param(
            "class C:\n    def __getattr__(self, n): return getattr(self, n)\nC().x",
            id="a getattr",
        ),
        pytest.param(
            "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()",
            id="a raised limit",
        ),
        pytest.param(
            "def g(n):\n    yield from g(n + 1)\nlist(g(0))", id="deep generators"
        ),
        pytest.param(
            "C = object\nfor _ in range(1000):\n    class C(C): pass\nC()",
            id="a chain of 1,000 classes",
        ),
        pytest.param(
            "C = object\nwhile True:\n    class C(C): pass",
            id="an endless chain of classes",
            marks=pytest.mark.heavy,  # It takes its whole time.
        ),
        pytest.param(
            "class C:\n    def __format__(self, s): return format(self, s)\nf'{C()}'",
            id="a format",
        ),
    ],
)
def test_a_script_of_deep_calls_or_classes_loses_only_its_own_step(
    script, open_sandbox
):
    with memory_growth_below(max_mib=64):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))

        result = sandbox.run(script)

        # The script may end as it likes, but its error is short, and the next step works.
        assert len(result.error) < 100_000
        assert sandbox.run("print('next')").output == "next\n"


# A script with values that are nested very deeply, or in themselves, loses its own step and no more.
#
# Code that walks through a list in a list in a list, 100,000 levels deep, recurses once for each
# level, until the stack of its process is full. The next script of the trial works.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "import json\nx = []\nx.append(x)\njson.dumps(x)",
            id="JSON of a list in itself",
        ),
        pytest.param(
            "x = []\nfor _ in range(10 ** 5): x = [x]\nrepr(x)", id="a nested list"
        ),
        pytest.param(
            """
x = []
for _ in range(10 ** 5): x = [x]
y = []
for _ in range(10 ** 5): y = [y]
x == y
""",
            id="deep equality",
        ),
        pytest.param(
            "x = []\nfor _ in range(500): x = [x]\nscratchpad['x'] = x",
            id="a deep scratchpad",
        ),
        pytest.param(
            "x = []\nx.append(x)\nscratchpad['x'] = x",
            id="a list in itself in the scratchpad",
        ),
        pytest.param("import json\njson.loads('[' * 10 ** 5)", id="a deep JSON text"),
        pytest.param(
            "import re\nre.compile('(' * 5000 + ')' * 5000)",
            id="a deep regular expression",
        ),
        pytest.param(
            "import copy\nx = []\nfor _ in range(10 ** 5): x = [x]\ncopy.deepcopy(x)",
            id="a deep copy",
        ),
    ],
)
def test_a_script_that_recurses_without_end_loses_only_its_own_step(
    script, open_sandbox
):
    with memory_growth_below(max_mib=64):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))

        result = sandbox.run(script)

        # The script may end as it likes, but its error is short, and the next step works.
        assert len(result.error) < 100_000
        assert sandbox.run("print('next')").output == "next\n"


# A step whose script loops without end is ended at its deadline, and the next step works.
#
# A step is one script. Some scripts catch the exception that ends them, and some run in C, where
# Python cannot raise one: `sum(range(10 ** 13))`.


@pytest.mark.parametrize(
    "endless_script",
    [
        pytest.param("while True: pass", id="a loop"),
        pytest.param(
            """
while True:
    try:
        while True: pass
    except BaseException: pass
""",
            id="a loop that catches all exceptions",
        ),
        pytest.param("sum(range(10 ** 13))", id="a sum in C"),
        pytest.param(
            """
x = 7 ** (10 ** 8)
print(len(str(x)))
""",
            id="a power in C",
        ),
        pytest.param(
            """
import re
re.match('(a+)+$', 'a' * 64 + 'b')
""",
            id="a regular expression that backtracks",
        ),
        pytest.param("any(iter(int, 1))", id="an endless iterator"),
        pytest.param(
            """
import itertools
max(itertools.product(range(100), repeat=9))
""",
            id="a product in C",
        ),
        pytest.param(
            """
str(10 ** 4000) * 1
import math
math.factorial(10 ** 7)
""",
            id="digits in C",
        ),
        pytest.param(
            "while True: harness.stat('/docs')", id="endless calls of the harness"
        ),
    ],
)
def test_a_step_is_ended_at_its_deadline_and_the_next_step_works_of_endless_loops(
    endless_script, open_sandbox
):
    """What the script printed before is kept."""
    sandbox = open_sandbox(limits=Limits(step_wall_s=0.2, step_calls=10**9))

    result = sandbox.run(f"print('began')\nharness.stat('/docs')\n{endless_script}")
    next_result = sandbox.run("print('next')")

    assert result.ending is Ending.LIMIT, result
    assert result.error.startswith("the step ran longer than 0.2 s")
    assert result.output.startswith("began\n")
    assert next_result.output == "next\n"


# A step is ended at its deadline, even in a method that loops without end. The next step works.
#
# A step is one script. Python runs some of its code without a call in the script: the method
# `__repr__` when an object is printed, the end of a `with` block even after an error.


@pytest.mark.parametrize(
    "endless_script",
    [
        pytest.param(
            "def f(x):\n    while True: pass\nsorted([1, 2], key=f)",
            id="a sort with an endless key function",
        ),
        pytest.param(
            "try:\n    while True: pass\nfinally:\n    while True: pass",
            id="a finally that loops",
        ),
        pytest.param(
            """
class C:
    def __enter__(self): pass
    def __exit__(self, *a):
        while 1: pass
with C(): 1 / 0
""",
            id="the end of a with block that loops",
        ),
        pytest.param(
            """
def g():
    try:
        yield
    finally:
        while True: pass
next(g())
""",
            id="the end of a generator that loops",
        ),
        pytest.param(
            "class C:\n    def __repr__(self):\n        while True: pass\nprint(C())",
            id="a repr that loops",
        ),
        pytest.param(
            """
class E(Exception):
    def __str__(self):
        while True: pass
raise E
""",
            id="an exception whose text loops",
        ),
    ],
)
def test_a_step_is_ended_at_its_deadline_and_the_next_step_works(
    endless_script, open_sandbox
):
    """What the script printed before is kept."""
    sandbox = open_sandbox(limits=Limits(step_wall_s=0.2))

    # With its first call, the script sends what it has printed to the parent process.
    result = sandbox.run(f"print('began')\nharness.stat('/docs')\n{endless_script}")
    next_result = sandbox.run("print('next')")

    assert result.ending is Ending.LIMIT, result
    assert result.error.startswith("the step ran longer than 0.2 s")
    assert result.output.startswith("began\n")
    assert next_result.output == "next\n"


# A child of a fork server that ends itself costs one step, and leaves no process behind.
#
# A `ForkServer` forks a child for each sandbox, in which the scripts of one trial run, each as one
# step. A script in unrestricted Python may end its own process:
#
#     sandbox.run("import os; os._exit(9)").ending  # Ending.KILLED; the next step works

UNRESTRICTED_PYTHON = frozenset({Layer.KERNEL})
"""An isolation without the language layer, which would refuse `import os`."""


def test_a_child_that_ends_itself_costs_one_step(server):
    """The second of three steps ends its process. The scratchpad is kept in the parent."""
    with new_sandbox(server, isolation=UNRESTRICTED_PYTHON) as sandbox:
        sandbox.run("scratchpad['kept'] = [1]")

        killed_step = sandbox.run("import os\nos._exit(9)")
        next_step = sandbox.run("print(scratchpad['kept'])")

    assert killed_step.ending is Ending.KILLED
    assert "exit code 9" in killed_step.error
    assert next_step.output == "[1]\n"


@pytest.mark.heavy
def test_a_thousand_killed_children_leave_no_processes_behind(server):
    """Each of a thousand steps ends its process at once."""
    processes_before = descendants(os.getpid())
    with new_sandbox(server, isolation=UNRESTRICTED_PYTHON) as sandbox:
        for _ in range(1000):
            step = sandbox.run("import os\nos._exit(1)")
            assert step.ending is Ending.KILLED
    time.sleep(0.2)  # The last child may still be ending.

    # The fork server itself is two processes, and it keeps a child ready for the next sandbox.
    assert len(descendants(os.getpid()) - processes_before) <= 3


# A `ForkServer` ends all its processes when it is closed, and when its parent is killed.
#
# A fork server is a process that has imported what scripts need, and forks a child for each sandbox,
# in which the scripts of one trial run. No process may stay behind.


@linux_only
def test_closing_a_server_ends_all_its_processes():
    """Three sandboxes are open, each with a child process."""
    processes_before = descendants(os.getpid())
    server = ForkServer()
    sandboxes = [new_sandbox(server) for _ in range(3)]
    for sandbox in sandboxes:
        sandbox.ready_child()
    server_processes = descendants(os.getpid()) - processes_before
    # Three children of the sandboxes, and at least two processes of the server.
    assert len(server_processes) >= 5

    server.close()

    wait_until_gone(server_processes)
    for sandbox in sandboxes:
        sandbox.close()


@linux_only
def test_server_and_children_end_when_the_parent_is_killed():
    """The parent is killed while one of its scripts runs in an endless loop."""
    program = textwrap.dedent("""
        from controlplane.sandbox import ForkServer
        from tests.sandbox.local_parent import new_sandbox
        sandbox = new_sandbox(ForkServer())
        sandbox.run("x = 1")
        print("ready", flush=True)
        sandbox.run("while True: pass")
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE
    )
    with parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        children = descendants(parent.pid)
        # The script's process, and at least two of the server.
        assert len(children) >= 3
        parent.kill()

    wait_until_gone(children)


# A fork server that is killed costs a trial at most one step.
#
# A `ForkServer` is a process that forks a child for each sandbox, in which the scripts of one trial
# run, each as one step. The parent process keeps the scratchpad of the trial, so a new server can go
# on.


@linux_only
def test_a_server_that_dies_costs_a_trial_at_most_a_step():
    """The script keeps a 1 in the scratchpad. Then the server and its children are killed."""
    processes_before = descendants(os.getpid())
    with ForkServer() as server, new_sandbox(server) as sandbox:
        sandbox.run("scratchpad['kept'] = 1")
        server_processes = descendants(os.getpid()) - processes_before
        for pid in server_processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # It ended with another one.
        wait_until_gone(server_processes)

        perhaps_lost_step = sandbox.run("print(scratchpad['kept'])")
        next_step = sandbox.run("print(scratchpad['kept'])")

        # FINISHED if the new server was there when the step began.
        assert perhaps_lost_step.ending in (Ending.KILLED, Ending.FINISHED)
        assert next_step.output == "1\n"


# A program at its limit of open files is told so by the fork server, and loses no child.
#
# A `ForkServer` is a process that forks a child for each sandbox. A new child needs a socket, which
# counts as an open file of the program that has the server. One that plays many trials may get to its
# limit.


def test_a_parent_at_its_limit_of_open_files_is_told_so_and_no_child_is_lost():
    """The program starts a child, opens all files that it may, and fails to start another child."""
    program = textwrap.dedent("""
        import os, resource
        from controlplane.sandbox import ForkServer, SandboxBroken
        with ForkServer() as server:
            first = server.spawn(with_kernel=False)
            resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
            open_files = []
            try:
                while True:
                    open_files.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                pass

            try:
                server.spawn(with_kernel=False)
            except SandboxBroken as error:
                print(error)

            os.close(open_files.pop())
            second = server.spawn(with_kernel=False)
            # `generation` counts the processes of a server: it is still the first one.
            print(first.generation == second.generation)
            print(first.end().code)
    """)

    result = run_python("-c", program)

    error, is_same_server, exit_code_of_first = result.out.splitlines()
    assert "can open no more files" in error, result.err
    assert is_same_server == "True"
    # `end` kills a child. A negative exit code names the signal that ended a process.
    assert exit_code_of_first == str(-signal.SIGKILL)


# The calls of a step, the bytes of their results, and the length of its script are limited.
#
# A step is one script. `open_sandbox(limits=Limits(step_calls=3))` lets each step make three calls,
# which `host` answers and records. The fourth fails: "a step makes at most 3 calls".


def test_a_step_makes_at_most_the_allowed_number_of_calls(open_sandbox, host):
    """The script makes nine calls, and three are allowed."""
    sandbox = open_sandbox(limits=Limits(step_calls=3))

    result = sandbox.run("for i in range(9):\n    harness.stat('/docs')")

    assert (
        "HarnessError: resource_exhausted: a step makes at most 3 calls" in result.error
    )
    assert result.calls == 4  # Three that were answered, and one that was refused.
    assert len(host.calls) == 3


def test_the_results_of_a_step_are_limited_in_bytes(open_sandbox, host):
    """A step that reads the file of 50,000 bytes a third time exceeds its 120,000 bytes."""
    host.tree.write("/big", "a" * 50_000)
    sandbox = open_sandbox(limits=Limits(step_bytes=120_000))
    code = """
try:
    while True:
        harness.read("/big")
except HarnessError as error:
    print(error.code)
    print("next step" in error.message)
"""

    result = sandbox.run(code)

    assert result.output == "resource_exhausted\nTrue\n"  # it says "next step"
    assert host.called_operations == ["read", "read", "read"]
    next_step = sandbox.run("print(len(harness.read('/big').content))")
    assert next_step.output == "50000\n"


def test_all_messages_of_a_step_count_among_its_bytes(open_sandbox, host):
    """The script itself has more bytes than the step may pass, so its first call is refused."""
    sandbox = open_sandbox(limits=Limits(step_bytes=50_000))

    result = sandbox.run("#" + "x" * 60_000 + "\nharness.stat('/docs')")
    next_step = sandbox.run("print(harness.stat('/docs').is_dir)")

    assert "the calls of a step pass at most 50000 bytes to and fro" in result.error
    assert host.called_operations == ["stat"]
    assert next_step.output == "True\n"


def test_a_script_that_is_too_long_is_not_run(open_sandbox):
    """All characters count, also the spaces at the end."""
    sandbox = open_sandbox(limits=Limits(code_chars=20))

    result = sandbox.run("print('long enough')  ")

    assert result.ending is Ending.LIMIT
    assert result.error == "the script has 22 characters; at most 20 are run"


# The CPU time of a step is limited, and that of all steps of a trial together.
#
# A step is one script, and a trial has several. `open_sandbox(limits=Limits(step_cpu_s=0.2))` gives
# each step 0.2 s of CPU, however long it waits. A script beyond a limit loses its own step, and its
# error says which limit it was.


def test_the_error_of_a_step_without_cpu_left_says_how_to_bound_a_search(open_sandbox):
    """A script that tries many solutions may want to end by itself in time. It cannot watch a clock,
    because the clocks of scripts stand still, but it can count its rounds."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

    result = sandbox.run("while True: pass")

    assert result.error == (
        "the step used more than 0.2 s of CPU; "
        "clocks stand still in scripts, so bound a search by its rounds"
    )


def test_the_cpu_of_a_long_computation_in_c_is_limited_as_well(open_sandbox):
    """This `sum` is one call of a function in C. While it runs, Python runs nothing else, such as
    code that looks at the time. So the kernel has to end the process."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

    result = sandbox.run("sum(range(10 ** 13))")

    assert result.error.startswith("the step used more than 0.2 s of CPU")


def test_the_cpu_of_all_steps_of_a_trial_is_limited_together(open_sandbox):
    """Each of the six steps may use 0.1 s, and all together 0.25 s. Each runs in a child process
    of its own, because the one before was ended."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.1, trial_cpu_s=0.25))

    results = [sandbox.run("while True: pass") for _ in range(6)]

    for result in results:
        assert result.ending is Ending.LIMIT
    assert results[-1].error == "the trial used more than 0.25 s of CPU"


# The scratchpad keeps at most 5,000 lists and mappings for the next steps, itself included.
#
# A script keeps values in the mapping `scratchpad`, and each part of them costs the parent process
# memory. A step that exceeds the limit fails, and its error names the largest key.


def test_a_scratchpad_of_too_many_lists_is_refused_and_the_earlier_one_kept(
    open_sandbox,
):
    sandbox = open_sandbox()
    sandbox.run("scratchpad['a'] = 1")

    result = sandbox.run("scratchpad['big'] = [[] for _ in range(5_000)]")

    assert result.ending is Ending.RAISED
    assert (
        "ValueError: the scratchpad has more than 5000 lists and mappings; "
        "its largest key is 'big'"
    ) in result.error
    assert result.scratchpad == {"a": 1}


def test_the_key_with_most_lists_is_named_and_not_the_longest_text(open_sandbox):
    """Brackets within a text are no lists."""
    result = open_sandbox().run("""
scratchpad["few"] = ["[" * 9_000, [1]]
scratchpad["big"] = [[] for _ in range(5_000)]
""")

    assert result.ending is Ending.RAISED
    assert "its largest key is 'big'" in result.error


def test_dates_count_because_they_are_kept_as_mappings(open_sandbox):
    """A date is kept as `{"$": "date", ...}`."""
    sandbox = open_sandbox()
    sandbox.run("scratchpad['a'] = 1")

    result = sandbox.run("""
from datetime import datetime
scratchpad["big"] = [datetime(2026, 1, 1)] * 5_000
""")

    assert result.ending is Ending.RAISED
    assert (
        "ValueError: the scratchpad has more than 5000 lists and mappings"
        in result.error
    )
    assert result.scratchpad == {"a": 1}


def test_brackets_within_a_text_do_not_count(open_sandbox):
    result = open_sandbox().run("scratchpad['few'] = ['[' * 9_000, [1]]")

    assert result.error == ""


# A script that takes too much memory loses only its own step, and costs the parent process little.
#
# The process of a script may take 64 MB here. The scripts need gigabytes, at once or bit by bit.

RAISED_FOR_MEMORY = ("MemoryError", "OverflowError", "ValueError")
"""What Python raises if it cannot make a value, depending on its type."""


@pytest.mark.parametrize(
    "greedy_script",
    [
        pytest.param("x = [0] * 10 ** 9", id="a list"),
        pytest.param("x = 'a' * (1 << 33)", id="a string"),
        pytest.param(
            "x = []\nwhile True: x.append('a' * 10 ** 6)", id="a list that grows"
        ),
        pytest.param("x = 'ab'\nwhile True: x += x", id="a string that doubles"),
        pytest.param("x = bytearray(1 << 32)", id="bytes"),
        pytest.param(
            "x = {}\nfor i in range(10 ** 9): x[i] = str(i) * 100", id="a dict"
        ),
        pytest.param("x = 1 << (1 << 40)", id="a shift"),
        pytest.param("x = f'{1:{10 ** 10}}'", id="the width of a format"),
        pytest.param("x = '%*d' % (10 ** 9, 1)", id="the width of a percent format"),
        pytest.param(
            """
import json
x = [1]
for _ in range(60): x = [x, x]
print(len(json.dumps(x)))
""",
            id="JSON of nested lists that repeat each other",
        ),
        pytest.param(
            "import itertools\nx = list(itertools.product(range(200), repeat=4))",
            id="a product",
        ),
    ],
)
def test_a_script_that_takes_too_much_memory_loses_only_its_own_step(
    greedy_script, open_sandbox
):
    """The script gets an exception, or its step is ended, depending on what takes the memory."""
    peak_before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sandbox = open_sandbox(limits=Limits(memory_bytes=64 * 2**20, step_wall_s=1.5))

    result = sandbox.run(f"print('began')\n{greedy_script}\n")
    next_result = sandbox.run("print('next')")

    assert result.ending in (Ending.RAISED, Ending.LIMIT, Ending.KILLED), result
    if result.ending is Ending.RAISED:
        assert any(name in result.error for name in RAISED_FOR_MEMORY), result
    assert next_result.output == "next\n"
    peak_after_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert peak_after_kib - peak_before_kib < 64 * 1024


@pytest.mark.parametrize(
    "greedy_line",
    [
        pytest.param("while True: x.append([None] * 10)", id="lists"),
        pytest.param("while True: x.append(str(len(x)))", id="texts"),
        pytest.param("while True: x.append([harness] * 3)", id="lists of objects"),
    ],
)
def test_a_script_that_fills_its_memory_is_told_so_and_keeps_its_scratchpad(
    greedy_line, open_sandbox
):
    """Small values leave no room at all, not even for the report."""
    sandbox = open_sandbox(limits=Limits(memory_bytes=50 * 2**20))

    result = sandbox.run(f"scratchpad['k'] = 1\nx = []\n{greedy_line}")

    assert result.ending is Ending.RAISED
    assert result.error.endswith(
        "MemoryError: the script needed more memory than it may add"
    )
    assert result.scratchpad == {"k": 1}
    assert sandbox.run("print(scratchpad['k'])").output == "1\n"


def test_a_verify_that_fills_its_memory_says_no(open_sandbox, host):
    sandbox = open_sandbox(limits=Limits(memory_bytes=50 * 2**20))

    result = sandbox.run(
        """
x = []
def verify(sp):
    while True: x.append([None] * 10)
scratchpad['answer'] = 'a'
try:
    harness.answer(scratchpad, verify)
finally:
    x.clear()
"""
    )

    assert "memory" in host.verify_replies[0].to_answer.error
    assert result.ending is not Ending.KILLED, result
    assert sandbox.run("print(scratchpad['answer'])").output == "a\n"


# A script that is hard to parse loses its own step and no more.
#
# A careless parser recurses once for each nested or chained part, until its stack is full. That
# must not end the process that other steps run in, or cost its parent memory.


def nested_blocks(head, levels):
    """Return a script of blocks in blocks: `if 1:`, and in it ` if 1:`, down to a `pass`."""
    lines = [" " * level + head for level in range(levels)]
    lines.append(" " * levels + "pass")
    return "\n".join(lines)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("(" * 90_000, id="parentheses"),
        pytest.param("(" * 5_000 + ")" * 5_000, id="balanced parentheses"),
        pytest.param("-" * 50_000 + "1", id="minus signs"),
        pytest.param("[" * 150 + "]" * 150, id="nested lists"),
        pytest.param("x" + ".a" * 50_000, id="a chain of attributes"),
        pytest.param("f" + "()" * 50_000, id="a chain of calls"),
        pytest.param("1" + "+1" * 50_000, id="a long sum"),
        pytest.param("1" + "<1" * 40_000, id="a long comparison"),
        pytest.param("lambda:" * 10_000 + "0", id="nested lambdas"),
        pytest.param(nested_blocks("if 1:", 95), id="nested ifs"),
        pytest.param(nested_blocks("def f():", 98), id="nested functions"),
        pytest.param("x = " + "9" * 100_000, id="a huge number"),
        pytest.param(
            "x = (1 << 1000000) * 3", id="a power that the compiler would compute"
        ),
        pytest.param("f'{" * 50 + "1" + "}'" * 50, id="nested f-strings"),
        pytest.param("@x\n" * 50_000 + "def f(): pass", id="decorators"),
        pytest.param(
            "'" + "\\N{LATIN SMALL LETTER A}" * 7_000 + "'", id="unicode escapes"
        ),
        pytest.param("x = 1\x00", id="null characters"),
        pytest.param("x = '\ud800'", id="a lone surrogate"),
        pytest.param("if 1:\n\tx=1\n        y=1", id="mixed tabs"),
        pytest.param("x.__y__\n" * 20_000, id="many forbidden attributes"),
    ],
)
def test_a_script_that_is_hard_to_parse_loses_only_its_own_step(script, open_sandbox):
    with memory_growth_below(max_mib=64):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))

        result = sandbox.run(script)

        # The script may end as it likes, but its error is short, and the next step works.
        assert len(result.error) < 100_000
        assert sandbox.run("print('next')").output == "next\n"
