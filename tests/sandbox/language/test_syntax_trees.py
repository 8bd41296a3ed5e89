"""What the policy asks about a script's syntax tree."""

import ast
import sys

import pytest

from sandbox.language.syntax_trees import bound_names, nodes_of
from tests.sandbox.script_world import ORDINARY, blocks


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("source", [source for _, source in blocks(*ORDINARY)][::5])
def test_the_nodes_of_a_tree_are_those_that_walking_it_finds_but_for_contexts(source):
    tree = ast.parse(source)
    assert nodes_of(tree) == [each for each in ast.walk(tree) if not isinstance(each, ast.expr_context)]


BINDING = {
    "a = b": {"a"},
    "(a, *b), c[d] = e": {"a", "b"},
    "for a in b: del c": {"a", "c"},
    "def a(b, /, c, *d, e=f, **g): pass": {"a", "b", "c", "d", "e", "g"},
    "class A(B): c = 1": {"A", "c"},
    "[a for a in b if (c := a)]": {"a", "c"},
    "lambda a: b": {"a"},
    "import a.b, c as d\nfrom e import f as g, h": {"a", "d", "g", "h"},
    "try: pass\nexcept A as b: pass\nexcept C: pass": {"b"},
    "match a:\n case [b, *c]: pass\n case D(e=f) as g: pass\n case _: pass": {"b", "c", "f", "g"},
    "with a as b: print(c)": {"b"},
}


@pytest.mark.parametrize("source", BINDING)
def test_a_script_binds_what_it_assigns_defines_takes_imports_and_catches(source):
    assert bound_names(nodes_of(ast.parse(source))) == BINDING[source]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are newer")
def test_a_script_binds_its_type_parameters():
    assert bound_names(nodes_of(ast.parse("def a[B, *C, **D](e: B): pass"))) == {"a", "B", "C", "D", "e"}
