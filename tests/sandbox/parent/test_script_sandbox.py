"""What a sandbox promises its owner: steps, scratchpad, calls, answers."""

from __future__ import annotations

import pytest

from sandbox import Ending, Limits, Sandbox
from sandbox.interface import Effect, Operation, Parameter, ResultField, Surface
from tests.sandbox.script_world import Desk, finished


def test_output_keeps_its_order_over_print_console_and_streams(box):
    code = "import sys\nprint(1)\nconsole.log(2)\nsys.stdout.write('3\\n')\nconsole.error(4)\nprint(5, file=sys.stderr)"
    assert finished(box, code).output == "1\n2\n3\n4\n5\n"


def test_names_are_gone_in_the_next_step_and_the_scratchpad_stays(box):
    finished(box, "x = 1\nscratchpad['x'] = [x]")
    result = box.run("print(scratchpad['x'])\nprint(x)")
    assert result.output == "[1]\n"
    assert result.ending is Ending.RAISED
    assert result.error.endswith(
        "NameError: name 'x' is not defined; names end with their step; what a later one needs is kept in scratchpad"
    )
    assert result.scratchpad == {"x": [1]}


def test_a_scratchpad_can_be_restored_in_another_sandbox(open_box):
    first = open_box()
    finished(first, "from datetime import date\nscratchpad['when'] = date(2026, 3, 1)\nscratchpad['n'] = {1: (2, 3)}")
    second = open_box()
    second.restore(first.scratchpad, steps_done=1)
    assert finished(second, "print(repr(scratchpad['when']), scratchpad['n'])").output == (
        "datetime.date(2026, 3, 1) {1: (2, 3)}\n"
    )


def test_an_object_in_the_scratchpad_is_not_shared_between_steps(box):
    finished(box, "scratchpad['a'] = scratchpad['b'] = []")
    assert finished(box, "scratchpad['a'].append(1)\nprint(scratchpad['b'])").output == "[]\n"


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ("lambda: 1", "scratchpad['bad'] is of type function"),
        ("{'x': [1, object()]}", "scratchpad['bad']['x'][1] is of type object"),
        ("print", "scratchpad['bad'] is of type builtin_function_or_method"),
        ("[(i for i in [])]", "scratchpad['bad'][0] is of type generator"),
        ("1 << 20_000", "scratchpad['bad'] is an integer of 20001 bits"),
    ],
)
def test_what_cannot_be_kept_is_refused_at_once_with_its_key(box, value, place):
    result = box.run(f"scratchpad['good'] = 1\nscratchpad['bad'] = {value}")
    assert place in result.error
    assert "line 2" in result.error
    assert result.scratchpad == {"good": 1}


def test_what_is_put_in_later_is_refused_at_the_next_call_and_at_the_end(box):
    result = box.run("scratchpad['l'] = []\nscratchpad['l'].append(print)\nharness.stat('/docs')")
    assert "scratchpad['l'][0] is of type builtin_function_or_method" in result.error
    result = box.run("scratchpad['l'] = []\nscratchpad['l'].append(print)")
    assert "scratchpad['l'][0] is of type builtin_function_or_method" in result.error
    assert result.ending is Ending.RAISED


def test_the_deepest_scratchpad_that_is_kept_reaches_the_parent_and_the_next_step(box):
    code = "value = 1\nfor _ in range(59):\n    value = {1: value}\nscratchpad['deep'] = value\nharness.stat('/docs')"
    finished(box, code)
    assert finished(box, "print(str(scratchpad['deep']).count('{'))").output == "59\n"
    assert "deeper than 60 levels" in box.run("scratchpad['deep'] = {1: scratchpad['deep']}").error


def test_a_step_that_is_killed_keeps_what_it_had_at_its_last_call(open_box):
    box = open_box(limits=Limits(step_wall_s=1.0))
    box.warm()
    result = box.run("scratchpad['a'] = 1\nharness.stat('/docs')\nprint('seen')\nscratchpad['b'] = 2\nwhile True: pass")
    assert result.ending is Ending.LIMIT
    assert result.scratchpad == {"a": 1, "b": 2}
    assert result.output == "seen\n"
    assert finished(box, "print(sorted(scratchpad))").output == "['a', 'b']\n"


def test_a_citation_is_kept_although_the_step_is_killed_in_c_code(open_box):
    box = open_box(limits=Limits(step_wall_s=1.0))
    box.warm()
    result = box.run("scratchpad.cite('/docs/checkout.md', 'says when refunds end')\nsum(range(10 ** 13))")
    assert result.ending is Ending.LIMIT
    assert result.scratchpad == {"refs_why": {"/docs/checkout.md": "says when refunds end"}}


def test_a_citation_takes_the_spelling_that_the_parent_returns(open_box, desk):
    desk.cite = lambda path, reason, quote: path.lower()
    box = open_box()
    assert finished(box, "print(scratchpad.cite('/DOCS/checkout.md', 'the policy on refunds'))").scratchpad == {
        "refs_why": {"/docs/checkout.md": "the policy on refunds"}
    }


def test_calls_reach_the_host_as_declared_with_defaults_filled_in(box, desk):
    finished(box, "harness.find('*.md', limit=3)\nharness.exec('/bin/id', ('a',))")
    assert desk.calls == [
        ("find", {"name": "*.md", "root": "/", "kind": "all", "limit": 3}, False),
        ("exec", {"path": "/bin/id", "args": ["a"], "stdin": ""}, False),
    ]


def test_an_environment_with_other_operations_needs_no_change(open_box):
    surface = Surface(
        (
            Operation(
                "lookup", (Parameter("name", "str"),), (ResultField("number"),), "a number", Effect.READS, "name"
            ),
            Operation("hang_up", (), (), "end it"),
        )
    )

    class Phone:
        def call(self, operation, arguments, *, in_verify):
            return {"number": f"{operation}:{arguments.get('name', '')}", "extra": [{"a": 1}]}

    box = open_box(surface=surface, host=Phone())
    code = "r = harness.lookup('ann')\nprint(r.number, r.extra[0].a, harness.hang_up().number)\nharness.read('/x')"
    result = box.run(code)
    assert result.output == "lookup:ann 1 hang_up:\n"
    assert "AttributeError: harness has no 'read'" in result.error


class Interrupted(Exception):
    leaves_step = True


class BrokenHost(Desk):
    def call(self, operation, arguments, *, in_verify):
        if arguments["path"] == "/none":
            return {"content": {1, 2}}
        raise OSError(5, "I/O error")

    def cite(self, path, reason, quote):
        raise KeyError(path)

    def answer(self, scratchpad, verify):
        verify.ask(False)
        raise RecursionError("deep")


def test_a_host_that_breaks_fails_the_call_and_the_step_goes_on(open_box):
    code = """
for attempt in (
    lambda: harness.read("/a"),
    lambda: harness.read("/none"),
    lambda: scratchpad.cite("/a", "long enough"),
    lambda: harness.answer(scratchpad, lambda sp: True),
):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__, error)
"""
    assert finished(open_box(host=BrokenHost()), code).output.splitlines() == [
        "HarnessError internal: read broke: OSError: [Errno 5] I/O error",
        "HarnessError internal: read broke: its result cannot be written as JSON: Object of type set is not JSON "
        "serializable",
        "HarnessError internal: citing broke: KeyError: '/a'",
        "HarnessError internal: answering broke: RecursionError: deep",
    ]


@pytest.mark.parametrize("error", [Interrupted("enough"), KeyboardInterrupt()])
def test_a_host_leaves_the_step_and_the_next_one_runs(open_box, error):
    class LeavingHost(Desk):
        def call(self, operation, arguments, *, in_verify):
            raise error

    box = open_box(host=LeavingHost())
    with pytest.raises(type(error)):
        box.run("harness.read('/a')")
    assert finished(box, "print(1)").output == "1\n"


def test_a_script_that_exits_ends_its_step_only(box):
    result = box.run("print('a')\nraise SystemExit(3)")
    assert (result.output, result.ending) == ("a\n", Ending.RAISED)
    assert finished(box, "print('b')").output == "b\n"


@pytest.mark.parametrize("leaving", ["sys.exit(0)", "sys.exit()", "exit()", "raise SystemExit", "raise SystemExit(0)"])
def test_a_script_that_leaves_with_no_code_or_0_has_finished(leaving, box):
    result = box.run(f"import sys\nscratchpad['k'] = 1\nprint('a')\n{leaving}\nprint('never')")
    assert (result.output, result.error, result.ending) == ("a\n", "", Ending.FINISHED)
    assert result.scratchpad == {"k": 1}


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


def test_a_naive_clock_is_refused():
    from datetime import datetime

    with pytest.raises(ValueError, match="timezone-aware"):
        Sandbox(Surface(()), Desk(), now=datetime(2026, 1, 1), seed=1)


@pytest.mark.parametrize(
    "script",
    [
        "import dataclasses\n@dataclasses.dataclass\nclass A: pass\nscratchpad['a'] = A()",
        "scratchpad['answer'] = 'a'\nharness.answer(scratchpad, lambda kept: True)",
        "from functools import lru_cache\n@lru_cache\ndef f(x): return x\nf(f)",
    ],
)
def test_a_child_goes_on_once_nothing_is_left_of_a_step(script, box):
    finished(box, script)
    child = box._trial.child
    assert finished(box, "print(1)").output == "1\n"
    assert box._trial.child is child


def test_what_the_library_keeps_of_a_step_does_not_use_up_the_memory_of_the_next(open_box):
    box = open_box(limits=Limits(memory_mb=100))
    keeping = "import typing\ndata = bytearray(60_000_000)\nclass A:\n    def f(self): return data\ntyping.Optional[A]"
    assert finished(box, keeping).error == ""
    assert finished(box, keeping).error == ""
