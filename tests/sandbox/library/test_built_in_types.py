"""Replaced methods of built-in types do what CPython's do, show no address, and never look at memory that is gone."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys

import pytest

from sandbox import ForkServer, Sandbox, SandboxBroken
from sandbox.parent import fork_server
from tests.sandbox.pinned_scripts import mixed_scripts
from tests.sandbox.script_world import NOW, SURFACE, Desk

BUFFERS = """
import collections, operator
class N:
    def __init__(self, number): self.number = number
    def __index__(self): return self.number
    def __repr__(self): return f'N({self.number})'
class B(bytearray): pass
def tried(what, *arguments):
    try: return what(*arguments)
    except (IndexError, TypeError, ValueError) as error: return type(error).__name__
for kind in (bytearray, B):
    b = kind(b"abcabcabc")
    for sub in (b"c", bytearray(b"ca"), memoryview(b"zz"), 97, N(98), True, 300, "c", None, 1.5):
        for bounds in ((), (1,), (N(2),), (None, -1), (-4, N(8)), (3, None), ("x",)):
            print([tried(getattr(b, name), sub, *bounds) for name in
                   ("find", "rfind", "index", "rindex", "count", "startswith", "endswith")])
        print(tried(operator.contains, b, sub))
        print([tried(getattr(b, name), sub) for name in
               ("split", "rsplit", "partition", "rpartition", "strip", "lstrip", "removeprefix", "removesuffix")])
        print(tried(b.replace, sub, b"-", 1), tried(b.translate, None, sub))
    print(b.startswith((b"x", b"a")), b.endswith((b"x",), 2))
    for place in (0, -1, N(3), 99, True, "x", 1.0, *map(slice, (0, N(1), 5), (2, None, 2), (1, N(3), 1))):
        for value in (120, N(121), 256, "x", b"", b"xy", b"xyz", [1, N(2)], range(3), bytearray(b"q"), b, 1.5, None):
            b = kind(b"abcdefghi")
            print(place, tried(operator.setitem, b, place, value), b)
        print(tried(operator.delitem, b, place), b)
    print(b.split(sep=b"c", maxsplit=N(1)), b.split(), b.strip(), b.rsplit(None, 1), b.translate(None, delete=b"a"))
    b = kind(b"%d-%s")
    print(b % (5, b"x"), tried(operator.mod, b, 5), b"%b" % b, tried(operator.mod, kind(b"%(k)d"), {b"k": 2}))
    b += b"!"
    b[0] ^= 1
    b[1:1] = b"__"
    print(b, type(kind(b"%d") % 1).__name__, bytes(b).find(b"_"))
    print(b == bytes(b), len(b), b[2:4], b * 2, b + b"x", b.upper(), sorted(b)[:2], hash(bytes(b)) == hash(bytes(b)))
"""
ERRORS = """
for act in (lambda: b"ab\\xff".decode(), lambda: b"a\\xc3".decode(), lambda: "\\udc80".encode(),
            lambda: "aé€b".encode("ascii"), lambda: bytearray(b"\\xff\\xfe").decode("ascii"),
            lambda: int("x".encode("utf-16") + b"\\xff")):
    try: act()
    except (UnicodeError, ValueError) as error:
        print(type(error).__name__, error, repr(error), getattr(error, "start", ""), error.args[:2])
class U(UnicodeDecodeError):
    def __str__(self): return "own " + super().__str__()
print(U("x", b"abc", 1, 2, "r"), UnicodeDecodeError("x", b"abc", 0, 3, "r"), UnicodeTranslateError("abc", 0, 1, "r"))
print(UnicodeEncodeError("x", "a\\u1234\\U0001f600", 1, 2, "r"), UnicodeEncodeError("x", "\\U0001f600", 0, 1, "r"))
"""


@pytest.mark.parametrize("script", [BUFFERS, ERRORS], ids=["buffers", "errors"])
def test_they_give_what_plain_python_gives(script, box):
    expected = io.StringIO()
    with contextlib.redirect_stdout(expected):
        exec(compile(script, "plain", "exec"), {"__name__": "__main__"})
    result = box.run(script)
    assert result.error == ""
    assert result.output.splitlines() == expected.getvalue().splitlines()
    assert len(result.output) > 500


def test_they_say_what_is_wrong(box):
    for code, says in (
        ("bytearray(2)['x'] = 1", "TypeError: 'str' object cannot be interpreted as an integer"),
        ("bytearray(2)[0] = 'x'", "TypeError: 'str' object cannot be interpreted as an integer"),
        ("bytearray(2)[5] = 1", "IndexError: bytearray index out of range"),
        ("bytearray(2).find()", "TypeError: find() missing 1 required positional argument: 'sub'"),
    ):
        assert box.run(code).error.splitlines()[-1] == says


def test_they_lead_to_nothing_inside(box):
    for method in ("bytearray.find", "bytearray.__setitem__", "UnicodeDecodeError.__str__"):
        for name in ("globals", "closure", "code", "defaults", "wrapped"):
            result = box.run(f"print(getattr({method}, '__{name}' + '__'))")
            assert (result.output, "AttributeError" in result.error) == ("", True)


def outcomes(server, scripts, together):
    """Run scripts, up to so many that carry nothing over in one child."""
    found, box, shared = {}, None, 0
    for title, source in scripts:
        is_alone = "harness" in source or "scratchpad" in source
        if box is None or is_alone or shared == together:
            if box is not None:
                box.close()
            box, shared = Sandbox(SURFACE, Desk(), now=NOW, seed=7, server=server), 0
        result = box.run(source, step=4)
        found[title] = result.output, result.error, result.ending, result.scratchpad
        shared = together if is_alone else shared + 1
    box.close()
    return found


def test_mixed_scripts_are_the_same_alone_and_in_another_process_after_others(server, heavy):
    scripts = mixed_scripts(1_000 if heavy else 60)
    alone = outcomes(server, scripts, 1)
    with ForkServer() as other:
        after_others = outcomes(other, scripts[::-1], 8)
    assert len(alone) == len(scripts)
    assert {title: (alone[title], after_others[title]) for title in alone if alone[title] != after_others[title]} == {}


def test_what_is_not_a_number_is_found_again_and_keeps_its_place_in_a_set(box):
    code = (
        "from decimal import Decimal as D\nclass F(float): pass\n"
        "many = [f(x) for f in (float, F, D, complex) for x in ('nan', '1.5', 'inf')]\n"
        "print(all(each in {each} for each in many), len(set(many)))\n"
        "print(hash(F('nan')), hash(1.0), hash(D('2.50')) == hash(2.5))"
    )
    assert box.run(code).output == "True 6\n0 1 True\n"


@pytest.mark.parametrize("thing", ["lambda: 0", "object()", "(x for x in ())", "memoryview(b'')"])
def test_a_repr_shows_the_number_that_id_gives(box, thing):
    assert box.run(f"v = {thing}\nprint(f'{{id(v):#x}}' in repr(v))").output == "True\n"


def test_objects_without_equality_of_their_own_stay_apart_in_sets(box):
    code = (
        "from abc import ABC\nclass A(ABC): pass\nclass B(Exception): pass\n"
        "fs = [lambda: 0, len, int, object(), None]\n"
        "many = [A() for _ in range(20_000)]\n"
        "print(len(set(fs)), all(f in set(fs) for f in fs), len(set(many)), len({B() for _ in range(20_000)}))"
    )
    assert box.run(code).output == "5 True 20000 20000\n"


RAISED = """
import sys
sys.path[:0] = {paths!r}
from sandbox.library import built_in_types
from sandbox.library.built_in_types import STEP
from sandbox.walls.process_wall import VerifyTooLong
built_in_types.install()
class Expired(BaseException): pass
def fail(target): raise error
STEP.number_of = fail
shown = [object(), [].append, [].__len__, lambda: 0, memoryview(b""), (x for x in ()), type("A", (), {{}})()]
ways = [repr, str, ascii, lambda each: f"{{each!r}}", lambda each: "%r" % (each,), lambda each: print([[each]])]
for error in (Expired(), VerifyTooLong(), KeyboardInterrupt(), RecursionError(), MemoryError(), ValueError()):
    for each in shown:
        for show in ways:
            try: show(each)
            except BaseException as found: assert found is error
            else: raise AssertionError
print("all came through")
"""


def test_an_exception_in_a_replaced_method_comes_through():
    code = RAISED.format(paths=[each for each in sys.path if each])
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stderr, ended.stdout) == ("", "all came through\n")


@pytest.mark.parametrize("altered", ["_FLAGS = 16", "setattr = print"])
def test_a_server_that_cannot_replace_them_does_not_start(altered, monkeypatch):
    boot = f"from sandbox.library import built_in_types;built_in_types.{altered};from sandbox.child"
    monkeypatch.setattr(fork_server, "_BOOT", fork_server._BOOT.replace("from sandbox.child", boot, 1))
    with ForkServer() as server, pytest.raises(SandboxBroken) as raised:
        server.kernel_report()
    assert str(raised.value) == "methods of 'object' cannot be replaced in this version of Python"
