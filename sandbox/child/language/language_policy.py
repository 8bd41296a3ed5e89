# ruff: noqa: N802, N815 - RestrictedPython calls methods by the names of syntax nodes
"""The language policy: which Python syntax a script may use, and the compiler that enforces it.

RestrictedPython parses a script into a syntax tree and calls `visit_X` of
`ScriptPolicy` for every node of type `X`. A method permits the node by returning it,
replaces it, or reports a fault. A type of node for which neither RestrictedPython nor
this module has a method is refused.

The tree contains names, but not objects. Checks that depend on an object are
made when the script runs: the policy replaces `x.__name__` by `_getattr_(x,
"__name__")`, and `x.name = 1` by `_write_(x, "name").name = 1`. These two functions,
the guards, are in `script_guards`.

This layer is an additional defence. The walls around the process protect the machine
even without it.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Final

from RestrictedPython.compile import compile_restricted
from RestrictedPython.transformer import RestrictingNodeTransformer, copy_locations

from controlplane.sandbox.child.language.remedies import (
    BUILTINS_INSTEAD,
    SYNTAX_INSTEAD,
)
from controlplane.sandbox.child.language.script_errors import (
    SCRIPT,
    Fault,
    RefusedScript,
)
from controlplane.sandbox.child.language.special_names import (
    BINDABLE,
    FORMATTERS,
    attribute_refusal,
    is_special,
    needs_no_guard,
)
from controlplane.sandbox.interface import bounds

READ_GUARD: Final = "_getattr_"
WRITE_GUARD: Final = "_write_"
"""The names under which a script's code calls the guards.
The script itself may not use these names."""

_SHOWN_LINE_CHARS: Final = 200
"""Characters that are shown of the line with a syntax error. A script may be one long line."""


# Compiling


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

    `library_guards` puts this function in the place of `compile` in modules such as
    `typing`. So it takes the parameters of `compile`. It ignores `mode` and `options`:
    an annotation is always an expression.
    """
    tree = ast.parse(text, file, "eval")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Call, ast.NamedExpr)):
            msg = f"an annotation in quotes is a name or a type, not {text!r:.80}"
            raise SyntaxError(msg)  # noqa: TRY004 - what a compiler raises
    return compile_restricted(tree, file, "eval", policy=ScriptPolicy)


# The policy


class ScriptPolicy(RestrictingNodeTransformer):
    """RestrictedPython's own policy, extended by the syntax that models' scripts need.

    Most methods permit one form of syntax by visiting the parts of the node.
    """

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self._enclosing_classes: list[str] = []
        """The names of the class statements around the current node, the innermost last."""

    # Faults

    def error(self, node: ast.AST, info: str) -> None:
        """Report a fault at the place of a node."""
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", -1) + 1
        fault = Fault(line, column, info)
        # RestrictedPython keeps texts in this list, but only asks whether it is empty.
        self.errors.append(fault)  # type: ignore[arg-type] # a fault instead of a text

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a node for which there is no method."""
        kind = type(node).__name__
        self.error(node, SYNTAX_INSTEAD.get(kind, f"{kind} statements are not allowed"))

    # Names

    def check_name(
        self, node: ast.AST, name: str | None, allow_magic_methods: bool = False
    ) -> None:
        """Report the name of a guard, or a special name such as `__del__` that is not permitted.

        RestrictedPython would refuse every name that begins with an underscore. The
        parameters are those of the method that this one replaces.
        """
        if name is None or not name.startswith("_"):
            return
        is_guard = name in (READ_GUARD, WRITE_GUARD)
        is_unknown_special = is_special(name) and name not in BINDABLE
        if is_guard or is_unknown_special:
            remedy = BUILTINS_INSTEAD.get(name, "use an ordinary name")
            self.error(node, f"name {name!r} is not available; {remedy}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Permit names. `print` is an ordinary builtin here; RestrictedPython would replace it."""
        self.check_name(node, node.id)
        return node

    # Attributes

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Permit attributes, most of them with the call of a guard."""
        refusal = attribute_refusal(node.attr)
        if refusal:
            self.error(node, refusal)
        node.value = self.visit(node.value)
        name = self._name_in_class(node.attr)

        is_read = isinstance(node.ctx, ast.Load)
        if is_read:
            if needs_no_guard(name):
                return node
            # `x.name` becomes `_getattr_(x, "name")`: the guard reads the attribute.
            return self._guard_call(READ_GUARD, node, name)

        # `x.name = 1` becomes `_write_(x, "name").name = 1`: the guard returns `x`, or raises.
        node.value = self._guard_call(WRITE_GUARD, node, name)
        return node

    def _name_in_class(self, name: str) -> str:
        """Return a private name as Python spells it in a class: `__lines` -> `_Parser__lines`.

        Python replaces the name of an attribute, but not the text that a guard gets.
        """
        if self._enclosing_classes and name.startswith("__") and not is_special(name):
            return f"_{self._enclosing_classes[-1]}{name}"
        return name

    def _guard_call(self, guard: str, node: ast.Attribute, name: str) -> ast.Call:
        """Return the node of `guard(object, "name")` for an attribute of an object."""
        call = ast.Call(
            ast.Name(guard, ast.Load()), [node.value, ast.Constant(name)], []
        )
        copy_locations(call, node)
        return call

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Permit `+=` and so on.

        `x.name += 1` also reads the attribute, but calls only the guard for writing. That
        guard permits the names of formatting methods (`FORMATTERS`), which must not be
        read without a check. So they are refused here.
        """
        if isinstance(node.target, ast.Attribute) and node.target.attr in FORMATTERS:
            self.error(node, f"{node.target.attr!r} cannot be assigned in place")
        return self.node_contents_visit(node)

    # Items, iteration and calls. RestrictedPython would guard them, because it also
    # serves applications that share objects with scripts. Here, a script gets only its
    # own objects, or copies.

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Permit `x[0]` without a guard."""
        return self.node_contents_visit(node)

    def guard_iter(self, node: ast.For | ast.comprehension) -> ast.AST:
        """Permit iteration without a guard."""
        return self.node_contents_visit(node)

    def visit_With(self, node: ast.With) -> ast.AST:
        """Permit `with x as (a, b)` without a guard."""
        return self.node_contents_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Permit calls, also with `*arguments` and `**arguments`."""
        return self.node_contents_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Permit assignment, but of `__match_args__` only with names that need no guard."""
        if _is_plain_match_args(node):
            return node
        return self.node_contents_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Permit `x: int = 1`."""
        return self.node_contents_visit(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        """Permit `nonlocal x`."""
        return node

    # Classes and types

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Permit class statements. A metaclass could make classes without the policy."""
        self.check_name(node, node.name)
        for keyword in node.keywords:
            if keyword.arg == "metaclass":
                self.error(
                    node,
                    "metaclass is not allowed; derive from a class, such as abc.ABC",
                )
            elif keyword.arg is None:  # `**options` may hold a metaclass.
                self.error(
                    node, "** is not allowed; derive from a class, such as abc.ABC"
                )

        # Python spells a private name of `_Parser` as
        # `_Parser__lines`, without a second underscore.
        self._enclosing_classes.append(node.name.lstrip("_"))
        self.node_contents_visit(node)
        self._enclosing_classes.pop()
        return node

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        """Permit `type Name = ...`."""
        return self.node_contents_visit(node)

    def visit_TypeVar(self, node: Any) -> Any:
        """Permit a type parameter, as in `def first[T](items: list[T]) -> T`."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_ParamSpec = visit_TypeVar
    visit_TypeVarTuple = visit_TypeVar

    # Patterns of `match`. They read attributes and bind names in places where
    # the syntax does not allow the call of a guard. So only patterns that need
    # no guard are permitted.

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Permit `match x:`."""
        return self.node_contents_visit(node)

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        """Permit `case ...:`."""
        return self.node_contents_visit(node)

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.AST:
        """Permit `case None:`, `case True:` and `case False:`."""
        return node

    def visit_MatchSequence(self, node: ast.MatchSequence) -> ast.AST:
        """Permit `case [a, b]:`."""
        return self.node_contents_visit(node)

    def visit_MatchOr(self, node: ast.MatchOr) -> ast.AST:
        """Permit `case a | b:`."""
        return self.node_contents_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        """Permit `case name:` and `case ... as name:`."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_MatchStar = visit_MatchAs
    """Permits `case [first, *rest]:`."""

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        """Permit `case {"key": value, **rest}:`."""
        self.check_name(node, node.rest)
        return self.node_contents_visit(node)

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """Permit `case 1:` and `case Color.RED:`."""
        self._check_names_in_pattern(node)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        """Permit `case Point(x=0, y=0):`."""
        self._check_names_in_pattern(node.cls)
        for name in node.kwd_attrs:
            if not needs_no_guard(name):
                remedy = "match the object and read the attribute"
                self.error(node, f"attribute {name!r} cannot be matched; {remedy}")
        node.patterns = [self.visit(pattern) for pattern in node.patterns]
        node.kwd_patterns = [self.visit(pattern) for pattern in node.kwd_patterns]
        return node

    def _check_names_in_pattern(self, node: ast.AST) -> None:
        """Report names and attributes in a pattern that would need a guard."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                self.check_name(part, part.id)
            elif isinstance(part, ast.Attribute) and not needs_no_guard(part.attr):
                refusal = attribute_refusal(part.attr)
                self.error(
                    part, refusal or f"attribute {part.attr!r} is not available here"
                )


def _is_plain_match_args(node: ast.Assign) -> bool:
    """Return True if a statement is like `__match_args__ = ("x", "y")`, with plain names only.

    A pattern `case Point(0, 0)` reads the attributes that the class names in
    `__match_args__`, and no guard is asked. So these names must need none.
    """
    if len(node.targets) != 1:
        return False
    target = node.targets[0]
    if not isinstance(target, ast.Name) or target.id != "__match_args__":
        return False
    if not isinstance(node.value, ast.Tuple):
        return False
    for element in node.value.elts:
        if not isinstance(element, ast.Constant) or not isinstance(element.value, str):
            return False
        if not needs_no_guard(element.value):
            return False
    return True
