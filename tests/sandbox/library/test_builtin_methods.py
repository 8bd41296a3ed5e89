"""Replaced methods of built-in types do what CPython's do, whoever calls them, and never look at memory that is gone.

`attacks/memory.txt` holds what they are against.
"""

from __future__ import annotations

import contextlib
import io

import pytest

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
