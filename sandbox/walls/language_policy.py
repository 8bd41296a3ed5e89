# ruff: noqa: N802, N815 - the names that RestrictedPython visits
"""The language wall, from source text to guarded code: RestrictedPython's transformer with our permissions.

Guards are called by names that no source can spell, so no binding form can replace a guard. Unknown syntax is
refused. Every fault of a script is reported at once, with line, column and a replacement.
"""

import ast
from collections.abc import Callable
from contextlib import suppress
from symtable import SymbolTable, symtable
from types import CodeType
from typing import Any, Final

from RestrictedPython.transformer import RestrictingNodeTransformer, copy_locations

from sandbox.walls.attribute_names import CLASS_NAMES, LINEAGE, METHODS, is_plain, is_special, name_refusal
from sandbox.walls.script_errors import ATTRIBUTES_INSTEAD, INSTEAD, REFUSED_SYNTAX, SCRIPT, Fault, Refused

MOST_FAULTS: Final = 50
OTHERWISE: Final = "work with values, methods and functions instead"
READ_GUARD: Final = "guard read"
WRITE_GUARD: Final = "guard write"
"""Names of the guards in a script's builtins. A space cannot be in a name of any source text."""
MODULE_NAMES: Final = frozenset(
    {
        *("__name__", "__doc__", "__debug__", "__all__", "__version__", "__author__", "__license__", "__date__"),
        *("__copyright__", "__credits__", "__email__", "__maintainer__", "__status__"),
    }
)
"""Special names that a script may use as variables."""
_CONTEXTS: Final = (ast.Load, ast.Store, ast.Del)
"""Reading, setting and deleting; the target's own method decides what may be set or deleted."""
_AWAITED: Final = frozenset({"ImportError", "ModuleNotFoundError"})
Importable = Callable[[str, str | None], str]
"""Returns why a module, or a name from it, cannot be imported; empty if it can."""


def compile_script(source: str, importable: Importable) -> CodeType:
    """Return the guarded code of a script. Raises `Refused`."""
    tree = parse_script(source)
    policy = Policy(source, importable)
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
    """Return the code of a tree. Raises `Refused` for faults that only the compiler finds (a stray `return`)."""
    try:
        return compile(tree, SCRIPT, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refused([_syntax_fault(error)], is_syntax=True) from None
    except ValueError as error:
        raise Refused([Fault(1, 1, str(error))], is_syntax=True) from None


def _syntax_fault(error: SyntaxError) -> Fault:
    shown = (error.text or "").strip()
    return Fault(error.lineno or 1, error.offset or 0, f"{error.msg}{f': {shown[:200]}' if shown else ''}")


class Policy(RestrictingNodeTransformer):
    """RestrictedPython's transformer with our permissions. Each method says in one sentence what it permits."""

    def __init__(self, source: str, importable: Importable) -> None:
        super().__init__()
        self.faults: list[Fault] = []
        self._source = source
        self._importable = importable
        self._hoped_for: set[ast.stmt] = set()
        """Imports whose failure the script expects, or that only a type checker runs."""
        self._classes: list[str] = []
        self._scopes: list[str] = ["module"]
        self._temporaries = 0
        self._visitors: dict[type[ast.AST], Callable[[Any], Any]] = {}
        self._missing: list[ast.Name] = []
        """Names of builtins that scripts do not get, unless a script binds them."""
        self._stored: set[str] = set()
        """Names that are set or deleted; from Python 3.12 on, symbol tables do not tell those of comprehensions."""

    def visit(self, node: ast.AST) -> Any:
        """Give a node to the method for its kind, which is looked up once."""
        kind = type(node)
        visitor = self._visitors.get(kind)
        if visitor is None:
            visitor = self._visitors[kind] = getattr(self, f"visit_{kind.__name__}", self.generic_visit)
        return visitor(node)

    def node_contents_visit(self, node: Any) -> Any:
        """Visit the contents of a node, as `ast.NodeTransformer` does, except contexts, which are always permitted."""
        for name in node._fields:
            held = getattr(node, name, None)
            if type(held) is list:
                made: list[Any] = []
                for part in held:
                    visited = self.visit(part) if isinstance(part, ast.AST) else part
                    if type(visited) is list:
                        made += visited
                    elif visited is not None or part is None:
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

    visit_TemplateStr = visit_Interpolation = not_allowed
    """RestrictedPython permits template strings; they are refused here until somebody has reviewed them."""

    def inject_print_collector(self, node: Any, position: int = 0) -> None:
        """Leave `print` an ordinary builtin: the sandbox's own `print` collects output in order."""

    # Syntax judged by its parts

    def permit(self, node: Any) -> Any:
        """Permit a form of syntax whose parts are judged by themselves."""
        return self.node_contents_visit(node)

    visit_Call = visit_With = visit_AnnAssign = visit_TypeAlias = permit
    visit_Subscript = permit
    """Items and slices: a script never gets an object that keeps a shared container."""
    guard_iter = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = permit
    """Iteration, including unpacking: it reaches nothing that a script could not reach by `next`."""
    visit_Match = visit_match_case = visit_MatchSequence = visit_MatchSingleton = visit_MatchOr = permit

    def visit_Constant(self, node: ast.Constant) -> Any:
        """Permit every literal."""
        return node

    # Names

    def check_name(self, node: Any, name: str | None, allow_magic_methods: bool = False) -> None:
        """Permit every name except special ones. Guards need no protection: no source can spell their names."""
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
        if type(node.ctx) is not ast.Load:
            self._stored.add(node.id)
        elif node.id in INSTEAD and not is_special(node.id):
            self._missing.append(node)
        return node

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> Any:
        """Permit `global` and `nonlocal` for names that may be bound."""
        for name in node.names:
            self.check_name(node, name)
        return node

    visit_Nonlocal = visit_Global

    def visit_arg(self, node: ast.arg) -> Any:
        """Permit parameters with annotations."""
        self.check_name(node, node.arg)
        return self.node_contents_visit(node)

    def visit_keyword(self, node: ast.keyword) -> Any:
        """Permit keyword arguments of ordinary names."""
        if node.arg is not None and is_special(node.arg):
            self.error(node, f"keyword {node.arg!r} is not available")
        return self.node_contents_visit(node)

    def visit_TypeVar(self, node: Any) -> Any:
        """Permit type parameters of ordinary names with bounds and defaults, and capture patterns of such names."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_ParamSpec = visit_TypeVarTuple = visit_MatchAs = visit_MatchStar = visit_TypeVar

    # Attributes

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Permit plain attributes unchanged; send private ones and every write through the guard."""
        name = self._mangled(node.attr)
        refusal = name_refusal(name)
        if name in LINEAGE and not _starts_from_a_name(node):
            refusal = f"special attribute {name!r} is shown of the script's own classes only"
        if refusal:
            self.error(node, f"{refusal}; {ATTRIBUTES_INSTEAD.get(name, OTHERWISE)}")
        node = self.node_contents_visit(node)
        if isinstance(node.ctx, ast.Load):
            return node if is_plain(name) else self._guard(READ_GUARD, node, [node.value, ast.Constant(name)])
        node.value = self._guard(WRITE_GUARD, node, [node.value, ast.Constant(name)])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Permit augmented assignment to names and items unchanged, to attributes through the guards."""
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
        for statement in statements:
            copy_locations(statement, node)
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

    # Patterns: the interpreter reads their attributes itself, so they may name only plain ones

    def visit_MatchValue(self, node: ast.MatchValue) -> Any:
        """Permit constants and plain dotted names as patterns."""
        self._check_pattern(node.value, "compare it in an `if` guard")
        return self.node_contents_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> Any:
        """Permit class patterns over plain attributes; positional attributes were judged when the class was made."""
        for name in node.kwd_attrs:
            if not is_plain(name):
                self.error(node, f"attribute {name!r} cannot stand in a pattern; compare it in an `if` guard")
        self._check_pattern(node.cls, "bind it to a name first")
        return self.node_contents_visit(node)

    def _check_pattern(self, pattern: ast.expr, instead: str) -> None:
        for part in ast.walk(pattern):
            if isinstance(part, ast.Attribute) and not is_plain(part.attr):
                self.error(part, f"attribute {part.attr!r} cannot stand in a pattern; {instead}")

    def visit_MatchMapping(self, node: ast.MatchMapping) -> Any:
        """Permit mapping patterns."""
        self.check_name(node, node.rest)
        return self.node_contents_visit(node)

    # Imports: listed names of listed modules; otherwise a refusal, or the `ImportError` that a script expects

    def visit_Try(self, node: ast.Try) -> Any:
        """Permit `try`; in a `try` that handles `ImportError`, a refused import raises this error when it runs."""
        if any(_awaits_failed_imports(handler.type) for handler in node.handlers):
            self._hope_for([*node.body, *(statement for handler in node.handlers for statement in handler.body)])
        return self.node_contents_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        """Permit `if`; a refused import for a type checker alone raises `ImportError` if it ever runs."""
        test = node.test
        if "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", "")):
            self._hope_for(node.body)
        return self.node_contents_visit(node)

    def _hope_for(self, statements: list[ast.stmt]) -> None:
        self._hoped_for.update(found for found in statements if isinstance(found, ast.Import | ast.ImportFrom))

    def visit_Import(self, node: ast.Import) -> Any:
        """Permit `import` of the modules that the sandbox hands out."""
        for alias in node.names:
            self.check_name(node, alias.asname or alias.name.split(".")[0])
        return self._judged(node, [self._importable(alias.name, None) for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """Permit `from ... import` of names that the sandbox hands out."""
        refusals: list[str] = []
        for alias in node.names:
            if node.level or node.module is None:
                refusals.append("relative imports are not available; there is only this script")
            elif alias.name == "*":
                self.error(node, f"'*' cannot be imported; name what is needed of {node.module}")
            else:
                refusals.append(self._importable(node.module, alias.name))
            self.check_name(node, alias.asname or alias.name)
        return self._judged(node, refusals)

    def _judged(self, node: ast.Import | ast.ImportFrom, refusals: list[str]) -> ast.stmt:
        """Return the import, or a statement that raises `ImportError` instead, if the script expects this error."""
        if getattr(node, "is_lazy", 0):  # From Python 3.15 on, a builtin other than `__import__` makes it.
            self.error(node, "lazy imports are not allowed; import without `lazy`")
        found = list(filter(None, refusals))
        if found and node in self._hoped_for:
            error = ast.Call(ast.Name("ModuleNotFoundError", ast.Load()), [ast.Constant(found[0])], [])
            raising = ast.Raise(exc=error)
            copy_locations(raising, node)
            return raising
        for refusal in found:
            self.error(node, refusal)
        return node

    # Functions and classes

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Permit assignment, starred and nested; each target is judged by itself."""
        if self._scopes[-1] == "class" and _sets_plain_match_args(node):
            return node
        return self.node_contents_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Permit functions with decorators, annotations and defaults; special names only if they are method names."""
        if is_special(node.name) and node.name not in METHODS:
            self.error(node, f"a script may not define {node.name!r}; use an ordinary name")
        return self.visit_Lambda(node)

    def visit_Lambda(self, node: ast.Lambda | ast.FunctionDef) -> Any:
        """Permit lambdas."""
        self._scopes.append("function")
        try:
            return self.node_contents_visit(node)
        finally:
            self._scopes.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Permit classes with everything in their head; `__build_class__` judges bases and metaclass."""
        self.check_name(node, node.name)
        statements, node.body = node.body, []
        self.node_contents_visit(node)  # The head, including additions of later versions of Python.
        self._classes.append(node.name)
        self._scopes.append("class")
        for statement in statements:
            made = self.visit(statement)
            node.body.extend(made if isinstance(made, list) else [made] if made is not None else [])
        self._scopes.pop()
        self._classes.pop()
        return node

    def visit_Module(self, node: ast.Module) -> Any:
        """Permit a module of permitted statements, and report builtins that scripts do not get."""
        self.node_contents_visit(node)
        bound = self._stored
        if self._missing:
            with suppress(SyntaxError):  # It is reported when the code is compiled.
                bound = bound | _bound_names(symtable(self._source, SCRIPT, "exec"))
        for name in self._missing:
            if name.id not in bound:
                self.error(name, f"{name.id!r} is not available; {INSTEAD[name.id]}")
        return node


def _awaits_failed_imports(kind: ast.expr | None) -> bool:
    names = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(isinstance(name, ast.Name) and name.id in _AWAITED for name in names)


def _starts_from_a_name(node: ast.expr) -> bool:
    """Say whether an expression is a name or continues from a name; a literal is never a class of the script."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name)


def _sets_plain_match_args(node: ast.Assign) -> bool:
    """Say whether this is `__match_args__ = ("a", "b")`, by which no pattern can reach anything guarded."""
    match node:
        case ast.Assign([ast.Name("__match_args__")], ast.Tuple(names)):
            return all(
                isinstance(name, ast.Constant) and type(name.value) is str and is_plain(name.value) for name in names
            )
    return False


def _bound_names(table: SymbolTable) -> set[str]:
    """Return the names that are bound in a table of symbols or in one inside it."""
    symbols = table.get_symbols()
    names = {one.get_name() for one in symbols if one.is_assigned() or one.is_parameter() or one.is_imported()}
    return names.union(*map(_bound_names, table.get_children()))
