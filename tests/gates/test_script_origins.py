"""Whether an expression of a script only selects literals, or computes something.

`["text", scratchpad["n"]]` only selects what was stored, whereas a call, such as
`scratchpad.get("n")`, may compute anything.
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
def test_a_call_counts_as_computing_although_its_key_was_followed_before(
    code: str, is_literal: bool
) -> None:
    """The search follows each key of the scratchpad once. In the second row the key `n` has been
    followed when the search meets the call, which counts nevertheless."""
    definitions = Definitions()
    stored = StoredExpressions()
    stored.assign("n", ScriptExpression(ast.Constant("text"), definitions))
    expression = ast.parse(code, mode="eval").body

    origins = origins_of(ScriptExpression(expression, definitions), stored)

    assert origins.is_literal == is_literal
