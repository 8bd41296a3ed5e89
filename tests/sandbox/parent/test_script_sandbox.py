"""What a sandbox promises its owner: steps, scratchpad,
calls, answers, and limits that cost a step and no more."""

import resource

import pytest

from controlplane.sandbox import Ending, Limits
from tests.sandbox.script_world import run_to_its_end


@pytest.mark.parametrize(
    "leaving",
    [
        "class E:\n    def __str__(self): raise ValueError('x')\nraise SystemExit(E())",
        "class S(SystemExit):\n    @property\n    def code(self): raise BaseException('x')\nraise S(0)",
        "class S(SystemExit):\n    code = property(lambda self: 0)\nraise S('why')",
    ],
)
def test_an_exit_that_lies_or_cannot_be_told_costs_nothing_that_was_kept(leaving, box):
    result = box.run(f"scratchpad['k'] = 1\n{leaving}")
    assert result.ending is Ending.RAISED
    assert "SystemExit" in result.error or "while a S was described" in result.error
    assert result.scratchpad == {"k": 1}


def test_an_answer_reaches_the_host_flattened_with_what_verify_says(box, desk):
    code = """
from decimal import Decimal
from datetime import date
scratchpad.update(answer="7", outcome="OUTCOME_OK", when=date(2026, 1, 2), cost=Decimal("1.5"), tags={"b", "a"})
def verify(sp):
    assert sp.answer == sp["answer"]
    return {"ok": sp["answer"] == "7"}
harness.answer(scratchpad, verify)
"""
    run_to_its_end(box, code)

    assert desk.answers == [
        {
            "answer": "7",
            "outcome": "OUTCOME_OK",
            "when": "2026-01-02",
            "cost": "1.5",
            "tags": ["a", "b"],
        }
    ]
    ((plain, blanked),) = desk.verified
    assert plain.says_yes
    assert not blanked.says_yes


def test_verify_works_on_a_copy_and_its_calls_only_read(box, desk):
    code = """
seen = []
def verify(sp):
    sp["answer"] = "changed"
    harness.read("/docs/checkout.md")
    harness.exec("/bin/id")
    for call in (
        lambda: harness.write("/x", "y"),
        lambda: harness.delete("/docs/checkout.md"),
        lambda: harness.exec("/bin/checkout"),
        lambda: harness.exec("/bin/unknown"),
        lambda: scratchpad.cite("/docs/checkout.md", "a long reason"),
        lambda: harness.answer(scratchpad, verify),
    ):
        try:
            call()
            seen.append("made")
        except HarnessError as error:
            seen.append(error.code)
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
print(scratchpad, seen)
"""

    assert (
        run_to_its_end(box, code).output
        == f"{{'answer': 'x'}} {['permission_denied'] * 12}\n"
    )
    assert [call[2] for call in desk.calls] == [True] * len(desk.calls)
    assert {call[0] for call in desk.calls} == {"read", "exec"}


@pytest.mark.parametrize(
    "endless", ["sum(range(10 ** 13))", "[0 for _ in iter(int, 1)]"]
)
def test_a_verify_that_hangs_costs_the_step(open_box, endless):
    box = open_box(limits=Limits(verify_s=0.2))
    result = box.run(
        f"scratchpad['answer'] = 'x'\nharness.answer(scratchpad, lambda sp: {endless})"
    )

    assert result.ending is Ending.LIMIT
    assert result.error == "verify ran longer than 0.2 s"
    assert run_to_its_end(box, "print(scratchpad['answer'])").output == "x\n"


def test_after_an_accepted_answer_every_call_fails(box):
    code = """
scratchpad["answer"] = "x"
harness.answer(scratchpad, lambda sp: True)
calls = [lambda: harness.stat("/docs"), lambda: scratchpad.cite("/docs", "long enough")]
for call in [*calls, lambda: harness.answer(scratchpad, 1)]:
    try:
        call()
    except HarnessError as error:
        print(error.code, error.message)
"""

    assert set(run_to_its_end(box, code).output.splitlines()) == {
        "failed_precondition the answer was accepted; the trial is over"
    }


HOGS = {
    "a loop": "while True: pass",
    "a loop that catches all": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "a sum in C": "sum(range(10 ** 13))",
    "a power in C": "x = 7 ** (10 ** 8)\nprint(len(str(x)))",
    "a pattern that backtracks": "import re\nre.match('(a+)+$', 'a' * 64 + 'b')",
    "a sort with a slow key": "def f(x):\n    while True: pass\nsorted([1, 2], key=f)",
    "an endless iterator": "any(iter(int, 1))",
    "a product in C": "import itertools\nmax(itertools.product(range(100), repeat=9))",
    "digits in C": "str(10 ** 4000) * 1\nimport math\nmath.factorial(10 ** 7)",
    "an endless call": "while True: harness.stat('/docs')",
    "a finally that goes on": "try:\n    while True: pass\nfinally:\n    while True: pass",
    "an exit that loops": (
        "class C:\n    def __enter__(self): pass\n    def __exit__(self, *a):\n        while 1: pass\nwith C(): 1 / 0"
    ),
    "a generator's end that loops": (
        "def g():\n    try:\n        yield\n    finally:\n        while True: pass\nnext(g())"
    ),
    "a repr that loops": "class C:\n    def __repr__(self):\n        while True: pass\nprint(C())",
    "an exception whose text loops": "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
}


@pytest.mark.parametrize("title", HOGS)
def test_an_overrun_is_ended_soon_after_its_deadline(title, open_box):
    box = open_box(limits=Limits(step_wall_s=0.2, step_calls=10**9))
    result = box.run(f"print('began')\nharness.stat('/docs')\n{HOGS[title]}")

    assert result.ending is Ending.LIMIT, result
    assert result.error.startswith("the step ran longer than 0.2 s")
    assert result.output.startswith("began\n")
    assert box.run("print('next')").output == "next\n"


def test_cpu_of_a_step_is_bounded_apart_from_its_layer_time(open_box):
    box = open_box(limits=Limits(step_cpu_s=0.2))
    told = "the step used more than 0.2 s of CPU; clocks stand still in scripts, so bound a search by its rounds"

    assert box.run("while True: pass").error == told
    assert box.run("sum(range(10 ** 13))").error.startswith(
        "the step used more than 0.2 s of CPU"
    )


def test_cpu_of_a_trial_is_bounded_over_all_its_children(open_box):
    box = open_box(limits=Limits(step_cpu_s=0.3, trial_cpu_s=0.5))
    endings = [box.run("while True: pass") for _ in range(6)]

    assert endings[-1].error == "the trial used more than 0.5 s of CPU"
    assert all(ending.ending is Ending.LIMIT for ending in endings)


MEMORY = {
    "a list": "x = [0] * 10 ** 9",
    "a string": "x = 'a' * (1 << 33)",
    "growing": "x = []\nwhile True: x.append('a' * 10 ** 6)",
    "doubling": "x = 'ab'\nwhile True: x += x",
    "bytes": "x = bytearray(1 << 32)",
    "a dict": "x = {}\nfor i in range(10 ** 9): x[i] = str(i) * 100",
    "a shift": "x = 1 << (1 << 40)",
    "a format width": "x = f'{1:{10 ** 10}}'",
    "a percent width": "x = '%*d' % (10 ** 9, 1)",
    "repeated json": "import json\nx = [1]\nfor _ in range(60): x = [x, x]\nprint(len(json.dumps(x)))",
    "a product": "import itertools\nx = list(itertools.product(range(200), repeat=4))",
}


@pytest.mark.parametrize("title", MEMORY)
def test_a_script_that_eats_memory_costs_its_own_step(title, open_box):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    box = open_box(limits=Limits(memory_mb=64, step_wall_s=1.5))
    result = box.run(f"print('began')\n{MEMORY[title]}\n")

    assert result.ending in (Ending.RAISED, Ending.LIMIT, Ending.KILLED), result
    if result.ending is Ending.RAISED:
        assert any(
            word in result.error
            for word in ("MemoryError", "OverflowError", "ValueError")
        ), result
    assert box.run("print('next')").output == "next\n"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_calls_of_a_step_are_counted(open_box, desk):
    box = open_box(limits=Limits(step_calls=3))
    result = box.run("for i in range(9):\n    harness.stat('/docs')")

    assert (
        "HarnessError: resource_exhausted: a step makes at most 3 calls" in result.error
    )
    assert result.calls == 4
    assert len(desk.calls) == 3


def test_a_step_passes_no_more_bytes_than_its_calls_may(open_box, desk):
    desk.tree.write("/big", "a" * 50_000)
    box = open_box(limits=Limits(step_bytes=120_000))
    code = "try:\n    while True: harness.read('/big')\nexcept HarnessError as e:\n"
    code += "    print(e.code, 'next step' in e.message)"

    assert box.run(code).output == "resource_exhausted True\n"
    assert [name for name, _, _ in desk.calls] == ["read"] * 3
    assert box.run("print(len(harness.read('/big').content))").output == "50000\n"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            "[[] for _ in range(5_000)]",
            "has more than 5000 lists and mappings; its largest key is 'big'",
        ),
        ("[datetime(2026, 1, 1)] * 5_000", "has more than 5000 lists and mappings"),
    ],
)
def test_a_scratchpad_of_too_many_parts_is_not_kept(open_box, values, says):
    box = open_box()
    box.run("scratchpad['a'] = 1")
    code = "from datetime import datetime\n"
    result = box.run(
        f"{code}scratchpad['few'] = ['[' * 9_000, [1]]\nscratchpad['big'] = {values}"
    )

    assert result.ending is Ending.RAISED
    assert f"ValueError: the scratchpad {says}" in result.error
    assert result.scratchpad == {"a": 1}
    assert box.run(f"{code}scratchpad['few'] = ['[' * 9_000, [1]]").error == ""


BOMBS = {
    "parentheses": "(" * 90_000,
    "balanced parentheses": "(" * 5_000 + ")" * 5_000,
    "minus signs": "-" * 50_000 + "1",
    "nested lists": "[" * 150 + "]" * 150,
    "a chain of attributes": "x" + ".a" * 50_000,
    "a chain of calls": "f" + "()" * 50_000,
    "a long sum": "1" + "+1" * 50_000,
    "a long comparison": "1" + "<1" * 40_000,
    "nested lambdas": "lambda:" * 10_000 + "0",
    "nested ifs": "\n".join(" " * depth + "if 1:" for depth in range(95))
    + "\n"
    + " " * 95
    + "pass",
    "nested functions": "\n".join(" " * depth + "def f():" for depth in range(98))
    + "\n"
    + " " * 98
    + "pass",
    "a huge number": "x = " + "9" * 100_000,
    "a power that folds": "x = (1 << 1000000) * 3",
    "nested f-strings": "f'{" * 50 + "1" + "}'" * 50,
    "decorators": "@x\n" * 50_000 + "def f(): pass",
    "unicode escapes": "'" + "\\N{LATIN SMALL LETTER A}" * 7_000 + "'",
    "null characters": "x = 1\x00",
    "a lone surrogate": "x = '\ud800'",
    "mixed tabs": "if 1:\n\tx=1\n        y=1",
    "many faults": "x.__y__\n" * 20_000,
}


RECURSIONS = {
    "a function": "def f(): f()\nf()",
    "a repr": "class C:\n    def __repr__(self): return repr(self)\nrepr(C())",
    "a getattr": "class C:\n    def __getattr__(self, n): return getattr(self, n)\nC().x",
    "json": "import json\nx = []\nx.append(x)\njson.dumps(x)",
    "a nested list": "x = []\nfor _ in range(10 ** 5): x = [x]\nrepr(x)",
    "deep equality": "x = []\nfor _ in range(10 ** 5): x = [x]\ny = []\nfor _ in range(10 ** 5): y = [y]\nx == y",
    "a deep scratchpad": "x = []\nfor _ in range(500): x = [x]\nscratchpad['x'] = x",
    "a scratchpad in itself": "x = []\nx.append(x)\nscratchpad['x'] = x",
    "a raised limit": "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()",
    "a deep json text": "import json\njson.loads('[' * 10 ** 5)",
    "a deep pattern": "import re\nre.compile('(' * 5000 + ')' * 5000)",
    "deep generators": "def g(n):\n    yield from g(n + 1)\nlist(g(0))",
    "a class chain": "C = object\nfor _ in range(3000):\n    class C(C): pass\nC()",
    "a formatter": "class C:\n    def __format__(self, s): return format(self, s)\nf'{C()}'",
    "a deep copy": "import copy\nx = []\nfor _ in range(10 ** 5): x = [x]\ncopy.deepcopy(x)",
}


@pytest.mark.parametrize(
    "code", [*BOMBS.values(), *RECURSIONS.values()], ids=[*BOMBS, *RECURSIONS]
)
def test_a_bomb_for_the_parser_and_a_recursion_cost_their_own_step(code, open_box):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    box = open_box(limits=Limits(step_wall_s=2))
    result = box.run(code)

    assert len(result.error) < 100_000
    assert box.run("print('next')").output == "next\n"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_a_script_that_is_too_long_is_not_run(open_box):
    result = open_box(limits=Limits(code_chars=20)).run("print('long enough')  ")
    assert result.ending is Ending.LIMIT
    assert result.error == "the script has 22 characters; at most 20 are run"
