"""Forms of Python, such as an assignment or a lambda, and whether a script may have them.

`compile_script` compiles a restricted Python. It refuses names and attributes that lead out of the
script's own objects into the interpreter: `is_allowed("f.__globals__")` is False.
"""

from types import CodeType

from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.language.script_errors import RefusedScript


def is_allowed(source: str) -> bool:
    """Return whether the language layer compiles a script: `is_allowed("f.__globals__")` is
    False."""
    try:
        return isinstance(compile_script(source, is_guarded=True), CodeType)
    except RefusedScript:
        return False
