"""The language layer: which forms of Python a script may have, and what it is told of the others.

`compile_script` compiles a restricted Python. It refuses names and attributes that lead out of
the script's own objects into the interpreter, wherever they stand in a script:

    compile_script("f.__globals__", is_guarded=True)  # raises RefusedScript, with a remedy
"""

import sys

import pytest

from controlplane.sandbox.child.language.refused_script import RefusedScript
from controlplane.sandbox.child.language.script_compiler import compile_script
from tests.sandbox.child.language.script_forms import is_allowed


class TestRefusedForms:
    """A refused form names what to write instead, so that the model corrects its script."""

    @pytest.mark.parametrize(
        ("source", "remedy"),
        [
            ("error.__traceback__", "type(error).__name__"),
            ("__file__", "paths are those of harness"),
            ("async def f(): pass", "synchronous, use def"),
            ("await f()", "synchronous"),
        ],
    )
    def test_a_refused_form_names_its_replacement(self, source, remedy):
        with pytest.raises(RefusedScript) as refused:
            compile_script(source, is_guarded=True)

        faults = refused.value.faults
        assert len(faults) == 1
        assert remedy in str(faults[0])


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
"""Every form of Python that gives the name `open` a meaning, such as that of a variable."""

if sys.version_info >= (3, 12):
    DEFINITIONS_OF_OPEN.append("def f[B, *open](): pass")
    DEFINITIONS_OF_OPEN.append("def f[**open](): pass")


class TestNamesOfBuiltins:
    """A script may give the name of a builtin a meaning of its own.

    Scripts have a function `open`, whose name they may use for something else.
    `DEFINITIONS_OF_OPEN` has every form of Python that gives a name a meaning.
    """

    @pytest.mark.parametrize("definition", DEFINITIONS_OF_OPEN)
    def test_a_script_may_give_the_name_of_a_builtin_a_meaning_of_its_own(
        self, definition: str
    ) -> None:
        assert is_allowed(f"{definition}\nopen('x')")
