"""Whether the value of an expression in a script was computed, or only written down.

A value that a script only writes down, a literal, proves nothing. So the gates look where the value
of an answer comes from:

    7                      written down
    scratchpad["n"]        what was stored there: written down if that was `scratchpad["n"] = 7`
    scratchpad.get("n")    computed: the gates follow no call, and count each as a computation
"""

import ast

import pytest

from controlplane.gates.support.computations.traced_expressions import origins_of
from controlplane.gates.support.scripts import (
    Definitions,
    ScriptExpression,
    StoredExpressions,
)


@pytest.mark.parametrize(
    ("code", "is_literal"),
    [
        pytest.param("[scratchpad['n'], scratchpad['n']]", True, id="no call"),
        pytest.param(
            "[scratchpad['n'], scratchpad.get('n')]", False, id="call behind the key"
        ),
        pytest.param(
            "[scratchpad.get('n'), scratchpad['n']]", False, id="call before the key"
        ),
    ],
)
def test_a_list_with_a_call_is_computed_wherever_the_call_stands(
    code: str, is_literal: bool
) -> None:
    """The script has stored a literal: `scratchpad["n"] = "text"`.

    The search for origins looks the key `n` up only once. When it comes to `scratchpad['n']` again,
    it must still go on to the other elements of the list, of which one may be a call.
    """
    no_variables = Definitions()
    stored = StoredExpressions()
    stored.assign("n", ScriptExpression(ast.Constant("text"), no_variables))
    list_expression = ast.parse(code, mode="eval").body

    origins = origins_of(ScriptExpression(list_expression, no_variables), stored)

    assert origins.is_literal == is_literal
