"""From source text to guarded code: parse, apply the policy, compile; every fault of the text at once."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Final

from sandbox.language.import_policy import Importable
from sandbox.language.language_policy import Fault, Policy, Refused

SCRIPT: Final = "<script>"
"""What stands for a file name in a script's code."""


def compile_script(source: str, importable: Importable) -> CodeType:
    """Return the guarded code of a script. `importable(module, name or None)` says "" or why it cannot be imported.

    Raises `Refused`.
    """
    tree = parse_script(source)
    policy = Policy(importable)
    try:
        policy.visit(tree)
        if policy.faults:
            policy.refuse()
        return compile_tree(tree)
    except RecursionError:
        raise Refused([Fault(1, 1, "nested too deeply; split it into statements")], is_syntax=True) from None


def parse_script(source: str) -> ast.Module:
    """Return the syntax tree of a script. Raises `Refused` if the text is not Python."""
    try:
        return ast.parse(source, SCRIPT)
    except SyntaxError as error:
        raise Refused([_syntax_fault(error)], is_syntax=True) from None
    except (ValueError, RecursionError, MemoryError) as error:
        message = str(error) or "nested too deeply; split it into statements"
        raise Refused([Fault(1, 1, message)], is_syntax=True) from None


def compile_tree(tree: ast.Module) -> CodeType:
    """Return the code of a tree. Raises `Refused` for what only the compiler finds (`return` outside a function)."""
    try:
        return compile(tree, SCRIPT, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refused([_syntax_fault(error)], is_syntax=True) from None
    except ValueError as error:
        raise Refused([Fault(1, 1, str(error))], is_syntax=True) from None


def _syntax_fault(error: SyntaxError) -> Fault:
    shown = (error.text or "").strip()
    return Fault(error.lineno or 1, error.offset or 0, f"{error.msg}{f': {shown[:200]}' if shown else ''}")
