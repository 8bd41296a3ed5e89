# ruff: noqa: N802 - the names that RestrictedPython visits
"""The language wall: RestrictedPython's transformer with our permissions, one a function.

Guards are called by names that no source can spell, so no binding form can replace one. Unknown syntax is refused.
Every fault of a script is reported at once, with line, column and what to write instead.
"""

import ast
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from RestrictedPython.transformer import copy_locations

from sandbox.language.advice import ATTRIBUTES_INSTEAD, INSTEAD, REFUSED_SYNTAX
from sandbox.language.attribute_names import CLASS_NAMES, LINEAGE, METHODS, is_plain, is_special, name_refusal
from sandbox.language.import_policy import Importable, ImportPermissions
from sandbox.language.match_policy import MatchPermissions
from sandbox.language.syntax_trees import bound_names, nodes_of, sets_plain_match_args, starts_from_a_name

MOST_FAULTS: Final = 50
OTHERWISE: Final = "work with values, methods and functions instead"
READ_GUARD: Final = "guard read"
WRITE_GUARD: Final = "guard write"
"""Names of the guards in a script's builtins. A space cannot stand in a name of any source text."""

MODULE_NAMES: Final = frozenset(
    {
        *("__name__", "__doc__", "__debug__", "__all__", "__version__", "__author__", "__license__", "__date__"),
        *("__copyright__", "__credits__", "__email__", "__maintainer__", "__status__"),
    }
)
"""Special names that a script may use as variables."""
_CONTEXTS: Final = (ast.Load, ast.Store, ast.Del)
"""Reading, setting and deleting; what may be set or deleted is for the target's own method to say."""


class Fault(NamedTuple):
    """One refusal or syntax error; line counts from 1, column from 1 (0: unknown)."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class Refused(Exception):
    """The script is refused or is not Python; nothing of it runs."""

    def __init__(self, faults: list[Fault], *, is_syntax: bool) -> None:
        super().__init__(*faults)
        self.faults = faults
        self.is_syntax = is_syntax


class Policy(MatchPermissions, ImportPermissions):
    """RestrictedPython's transformer with our permissions. Each method says in one sentence what it lets through."""

    def __init__(self, importable: Importable) -> None:
        super().__init__(importable)
        self.faults: list[Fault] = []
        self._classes: list[str] = []
        self._scopes: list[str] = ["module"]
        self._temporaries = 0
        self._visitors: dict[type[ast.AST], Callable[[Any], Any]] = {}
        self._missing: list[ast.Name] = []
        """Names of builtins that scripts do not get, unless the script binds them."""

    def visit(self, node: ast.AST) -> Any:
        """Give a node to the method for its kind, which is looked up once."""
        kind = type(node)
        visitor = self._visitors.get(kind)
        if visitor is None:
            visitor = self._visitors[kind] = getattr(self, f"visit_{kind.__name__}", self.generic_visit)
        return visitor(node)

    def node_contents_visit(self, node: Any) -> Any:
        """Visit what a node holds, as `ast.NodeTransformer` does, but for contexts: they are always permitted."""
        for name in node._fields:
            held = getattr(node, name, None)
            if type(held) is list:
                made: list[Any] = []
                for each in held:
                    visited = self.visit(each) if isinstance(each, ast.AST) else each
                    if type(visited) is list:
                        made += visited
                    elif visited is not None or each is None:
                        made.append(visited)
                held[:] = made
            elif isinstance(held, ast.AST) and type(held) not in _CONTEXTS:
                setattr(node, name, self.visit(held))
        return node

    def error(self, node: ast.AST, info: str) -> None:
        """Record a fault with its place."""
        fault = Fault(getattr(node, "lineno", 1), getattr(node, "col_offset", -1) + 1, info)
        if fault not in self.faults:
            self.faults.append(fault)
        if len(self.faults) > MOST_FAULTS:
            self.faults[-1] = Fault(fault.line, fault.column, "more faults follow; mend these first")
            self.refuse()

    def refuse(self) -> None:
        """Raise `Refused` for the faults so far."""
        raise Refused(sorted(self.faults, key=lambda fault: (fault.line, fault.column)), is_syntax=False)

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a form of syntax that no method here permits."""
        kind = type(node).__name__
        self.error(node, REFUSED_SYNTAX.get(kind, f"{kind} is not allowed in a script"))

    def inject_print_collector(self, node: Any, position: int = 0) -> None:
        """Leave `print` an ordinary builtin: the sandbox's own collects output in order."""

    # Names

    def check_name(self, node: Any, name: str | None, allow_magic_methods: bool = False) -> None:
        """Permit every name but the special ones. Guards need no protection: no source can spell their names."""
        if name is None or not is_special(name):
            return
        if name == "__match_args__":
            self.error(node, "__match_args__ is set once, in a class body, to a tuple of plain attribute names")
        elif self._scopes[-1] == "class":
            if name not in CLASS_NAMES and name not in MODULE_NAMES:
                self.error(node, f"a class may not define {name!r}; use an ordinary method")
        elif name not in MODULE_NAMES and name not in METHODS:
            instead = INSTEAD.get(name, "use an ordinary name")
            self.error(node, f"name {name!r} is not available; {instead}")

    def visit_Name(self, node: ast.Name) -> Any:
        """Permit names as they are; `print` is an ordinary builtin."""
        self.check_name(node, node.id)
        if node.id in INSTEAD and not is_special(node.id):
            self._missing.append(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> Any:
        """Permit every literal."""
        return node

    def visit_Global(self, node: ast.Global) -> Any:
        """Permit `global` for names that may be bound."""
        for name in node.names:
            self.check_name(node, name)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        """Permit `nonlocal` for names that may be bound."""
        for name in node.names:
            self.check_name(node, name)
        return node

    def visit_arg(self, node: ast.arg) -> Any:
        """Permit parameters with annotations."""
        self.check_name(node, node.arg)
        return self.node_contents_visit(node)

    def visit_keyword(self, node: ast.keyword) -> Any:
        """Permit keyword arguments of ordinary names."""
        if node.arg is not None and is_special(node.arg):
            self.error(node, f"keyword {node.arg!r} is not available")
        return self.node_contents_visit(node)

    # Attributes

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Permit plain attributes as they are; send private ones and every write through the guard."""
        name = self._mangled(node.attr)
        refusal = name_refusal(name)
        if name in LINEAGE and not starts_from_a_name(node):
            refusal = f"special attribute {name!r} is shown of the script's own classes only"
        if refusal:
            self.error(node, f"{refusal}; {ATTRIBUTES_INSTEAD.get(name, OTHERWISE)}")
        node = self.node_contents_visit(node)
        if isinstance(node.ctx, ast.Load):
            return node if is_plain(name) else self._guard(READ_GUARD, node, [node.value, ast.Constant(name)])
        node.value = self._guard(WRITE_GUARD, node, [node.value, ast.Constant(name)])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Permit augmented assignment to names and items as they are, to attributes through the guards."""
        target = node.target
        if not isinstance(target, ast.Attribute):
            return self.node_contents_visit(node)
        name = self._mangled(target.attr)
        refusal = name_refusal(name)
        if refusal:
            self.error(target, f"{refusal}; {ATTRIBUTES_INSTEAD.get(name, OTHERWISE)}")
        owner, value = self.visit(target.value), self.visit(node.value)
        if is_plain(name):
            target.value = self._guard(WRITE_GUARD, target, [owner, ast.Constant(name)])
            node.value = value
            return node
        return self._augmented(node, owner, value, name)

    def _augmented(self, node: ast.AugAssign, owner: ast.expr, value: ast.expr, name: str) -> list[ast.stmt]:
        """Return `owner.name op= value` as statements in which only guards read and write the private attribute."""
        self._temporaries += 1
        held, result = f"owner {self._temporaries}", f"value {self._temporaries}"
        key = ast.Constant(name)
        read = self._guard(READ_GUARD, node.target, [ast.Name(held, ast.Load()), key])
        write = self._guard(WRITE_GUARD, node.target, [ast.Name(held, ast.Load()), key])
        statements: list[ast.stmt] = [
            ast.Assign([ast.Name(held, ast.Store())], owner),
            ast.Assign([ast.Name(result, ast.Store())], read),
            ast.AugAssign(ast.Name(result, ast.Store()), node.op, value),
            ast.Assign([ast.Attribute(write, name, ast.Store())], ast.Name(result, ast.Load())),
            ast.Delete([ast.Name(held, ast.Del()), ast.Name(result, ast.Del())]),
        ]
        for each in statements:
            copy_locations(each, node)
        return statements

    def _guard(self, guard: str, node: ast.expr, arguments: list[ast.expr]) -> ast.Call:
        call = ast.Call(func=ast.Name(guard, ast.Load()), args=arguments, keywords=[])
        copy_locations(call, node)
        return call

    def _mangled(self, name: str) -> str:
        """Return the name under which the compiler stores a class's own `__x`."""
        if self._classes and name.startswith("__") and not name.endswith("__"):
            inside = self._classes[-1].lstrip("_")
            return f"_{inside}{name}" if inside else name
        return name

    # Items, iteration, unpacking, calls

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Permit items and slices: nothing that a script is handed keeps a shared container."""
        return self.node_contents_visit(node)

    def guard_iter(self, node: Any) -> Any:
        """Permit iteration: it reaches nothing that a script could not reach by `next`."""
        return self.node_contents_visit(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Permit assignment, starred and nested; each target is judged by itself."""
        if self._scopes[-1] == "class" and sets_plain_match_args(node):
            return node
        return self.node_contents_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Permit annotated assignment; the annotation is an expression like any other."""
        return self.node_contents_visit(node)

    def visit_With(self, node: ast.With) -> Any:
        """Permit `with`; its targets are judged by themselves."""
        return self.node_contents_visit(node)

    def visit_Call(self, node: ast.Call) -> Any:
        """Permit calls with every form of arguments: what may be called was judged where it was reached."""
        return self.node_contents_visit(node)

    # Functions and classes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Permit functions with decorators, annotations and defaults; of special names, those of methods."""
        if is_special(node.name) and node.name not in METHODS:
            self.error(node, f"a script may not define {node.name!r}; use an ordinary name")
        return self._visit_scope(node, "function")

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """Permit lambdas."""
        return self._visit_scope(node, "function")

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Permit classes with all that stands in their head; `__build_class__` judges bases and metaclass."""
        self.check_name(node, node.name)
        statements, node.body = node.body, []
        self.node_contents_visit(node)  # The head, whatever later versions of Python put into it.
        self._classes.append(node.name)
        self._scopes.append("class")
        for each in statements:
            made = self.visit(each)
            node.body.extend(made if isinstance(made, list) else [made] if made is not None else [])
        self._scopes.pop()
        self._classes.pop()
        return node

    def _visit_scope(self, node: Any, kind: str) -> Any:
        self._scopes.append(kind)
        try:
            return self.node_contents_visit(node)
        finally:
            self._scopes.pop()

    def visit_Module(self, node: ast.Module) -> Any:
        """Permit a module of permitted statements, and report builtins that scripts do not get."""
        self.node_contents_visit(node)
        bound = bound_names(nodes_of(node)) if self._missing else set()
        for each in self._missing:
            if each.id not in bound:
                self.error(each, f"{each.id!r} is not available; {INSTEAD[each.id]}")
        return node
