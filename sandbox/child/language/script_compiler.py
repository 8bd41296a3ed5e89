"""Compiles scripts, and the annotations in them, under the language policy."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Final

from RestrictedPython.compile import compile_restricted

from controlplane.sandbox.child.language.language_policy import ScriptPolicy
from controlplane.sandbox.child.language.refused_script import Fault, RefusedScript
from controlplane.sandbox.child.language.script_errors import SCRIPT
from controlplane.sandbox.interface import bounds

_SHOWN_LINE_CHARS: Final = 200
"""Characters that are shown of the line with a syntax error. A script may be one long line."""


def compile_script(source: str, *, is_guarded: bool) -> CodeType:
    """Compile a script, and apply the policy if it `is_guarded`. Raises `RefusedScript`.

    The exception has all faults of the script, each with its place and what to write
    instead. Its `is_syntax` is True if the script is not correct Python.
    """
    try:
        tree = ast.parse(source, SCRIPT)
        if is_guarded:
            return compile_restricted(tree, SCRIPT, policy=ScriptPolicy)
        return compile(tree, SCRIPT, "exec", dont_inherit=True)
    except SyntaxError as error:
        # RestrictedPython raises this, too, if the policy has refused the script.
        faults = _policy_faults(error)
        if faults:
            raise RefusedScript(_shown_faults(faults), is_syntax=False) from None
        raise RefusedScript([_syntax_fault(error)], is_syntax=True) from None
    except ValueError as error:
        raise RefusedScript([Fault(1, 1, str(error))], is_syntax=True) from None
    except (RecursionError, MemoryError):
        fault = Fault(1, 1, "nested too deeply; split it into statements")
        raise RefusedScript([fault], is_syntax=True) from None


def _policy_faults(error: SyntaxError) -> list[Fault]:
    """Return the faults that the policy reported, in the order of the script.

    Empty if Python itself raised the error: then the error's first argument is a message.
    If RestrictedPython raised it, that argument is the list `ScriptPolicy.errors`.
    """
    faults_or_message = error.args[0]
    if isinstance(faults_or_message, str):
        return []
    return sorted(faults_or_message, key=lambda fault: (fault.line, fault.column))


def _shown_faults(faults: list[Fault]) -> list[Fault]:
    """Return the first faults. If there are more, the last one says so."""
    shown = faults[: bounds.SHOWN_REFUSALS]
    if len(faults) > len(shown):
        first_hidden = faults[len(shown)]
        shown.append(
            first_hidden._replace(message="more faults follow; mend these first")
        )
    return shown


def _syntax_fault(error: SyntaxError) -> Fault:
    """Return Python's own syntax error: `invalid syntax: x = = 1`."""
    message = error.msg
    line = (error.text or "").strip()
    if line:
        message += f": {line[:_SHOWN_LINE_CHARS]}"
    return Fault(error.lineno or 1, error.offset or 0, message)


def compile_annotation(
    text: str, file: str = SCRIPT, mode: str = "eval", **options: Any
) -> CodeType:
    """Return the code of an annotation such as `"list[int]"`. Raises `SyntaxError`.

    An annotation may neither call nor assign anything, because the library evaluates it
    at times that a script does not choose.

    `annotation_guards` puts this function in the place of `compile` in modules such as
    `typing`. So it takes the parameters of `compile`. It ignores `mode` and `options`:
    an annotation is always an expression.
    """
    tree = ast.parse(text, file, "eval")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Call, ast.NamedExpr)):
            msg = f"an annotation in quotes is a name or a type, not {text!r:.80}"
            raise SyntaxError(msg)  # noqa: TRY004 - what a compiler raises
    return compile_restricted(tree, file, "eval", policy=ScriptPolicy)
