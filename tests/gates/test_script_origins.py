"""Whether an expression of a script computes something, or only selects literals.

What a script only writes down as a literal proves nothing, so the gates look where values come from.
`[7, scratchpad["n"]]` selects a literal and a stored value. A call, such as
`scratchpad.get("n")`, counts as computing.
"""

import ast

import pytest

from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_origins import origins_of
from controlplane.gates.support.scripts.stored_expressions import StoredExpressions


@pytest.mark.parametrize(
    ("code", "is_literal"),
    [
        ("[scratchpad['n'], scratchpad['n']]", True),
        ("[scratchpad['n'], scratchpad.get('n')]", False),
        ("[scratchpad.get('n'), scratchpad['n']]", False),
    ],
)
def test_a_call_counts_as_computing_although_its_key_was_visited_before(
    code: str, is_literal: bool
) -> None:
    """`is_literal` is True if the list consists of literals, here of the text stored under `n`.

    The search looks up each key of the scratchpad only once. The order of the two items must not
    matter: it finds the call also after it has looked up `n`.
    """
    no_variables = Definitions()
    stored = StoredExpressions()
    stored.assign("n", ScriptExpression(ast.Constant("text"), no_variables))
    list_expression = ast.parse(code, mode="eval").body

    origins = origins_of(ScriptExpression(list_expression, no_variables), stored)

    assert origins.is_literal == is_literal
