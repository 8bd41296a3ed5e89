"""A form of Python that a script may not have names what to write instead.

`compile_script` compiles a restricted Python, and refuses names that lead into the interpreter. Of
`error.__traceback__` it says to write `type(error).__name__`, so that the model corrects its
script.
"""

import pytest

from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.language.script_errors import RefusedScript


@pytest.mark.parametrize(
    ("source", "remedy"),
    [
        ("error.__traceback__", "type(error).__name__"),
        ("__file__", "paths are those of harness"),
        ("async def f(): pass", "synchronous, use def"),
        ("await f()", "synchronous"),
    ],
)
def test_a_refused_form_names_its_replacement(source, remedy):
    with pytest.raises(RefusedScript) as refused:
        compile_script(source, is_guarded=True)

    faults = refused.value.faults
    assert len(faults) == 1
    assert remedy in str(faults[0])
