"""A script may give the name of a builtin a meaning of its own, by any form of Python.

Scripts are compiled by a compiler for a restricted Python, which refuses some forms and names. It
must permit each form that defines `open`, the name of a builtin, and then the use of that name:

    def open(): pass
    open('x')
"""

import sys

import pytest

from tests.sandbox.child.language.script_forms import is_allowed

DEFINITIONS_OF_OPEN = [
    "open = b",
    "(a, *open), c[d] = e",
    "for open in b: pass",
    "with a as open: pass",
    "(a, open := 1)",
    "def open(): pass",
    "def f(b, /, *open): pass",
    "def f(*, open=b): pass",
    "def f(**open): pass",
    "class open(B): pass",
    "[c for open in b]",
    "lambda open: b",
    "import json as open",
    "from math import e as open",
    "try: pass\nexcept A as open: pass",
    "match a:\n case [b, *open]: pass",
    "match a:\n case D() as open: pass",
]
"""Every form of Python that defines the name `open`, such as a variable or a parameter."""

if sys.version_info >= (3, 12):
    DEFINITIONS_OF_OPEN.append("def f[B, *open](): pass")
    DEFINITIONS_OF_OPEN.append("def f[**open](): pass")


@pytest.mark.parametrize("definition", DEFINITIONS_OF_OPEN)
def test_a_script_may_give_the_name_of_a_builtin_a_meaning_of_its_own(
    definition: str,
) -> None:
    use = "open('x')"

    assert is_allowed(f"{definition}\n{use}")
