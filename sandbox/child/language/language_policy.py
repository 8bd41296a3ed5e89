# ruff: noqa: N802, N815 - the names that RestrictedPython visits
"""The language layer, from source text to code: the names, attributes and syntax of a script.

All faults of a source are reported at once, each with its place and a remedy. This layer gives
depth; the boundary are the process layer and the kernel layer.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, Final

from RestrictedPython.compile import compile_restricted
from RestrictedPython.transformer import (
    INSPECT_ATTRIBUTES,
    RestrictingNodeTransformer,
    copy_locations,
)

from controlplane.sandbox.child.language.remedies import (
    ATTRIBUTES_INSTEAD,
    BUILTINS_INSTEAD,
    SYNTAX_INSTEAD,
)
from controlplane.sandbox.child.language.script_errors import SCRIPT, Fault, RefusedScript
from controlplane.sandbox.interface import bounds

# The special names of Python that a script may use


def _special(names: str) -> frozenset[str]:
    """Return `__init__` for `init`, and so on."""
    return frozenset(f"__{name}__" for name in names.split())


_OPERATORS: Final = (
    "add sub mul truediv floordiv mod pow matmul divmod and or xor lshift rshift "
    "radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rdivmod rand ror rxor rlshift rrshift "
    "iadd isub imul itruediv ifloordiv imod ipow imatmul idivmod iand ior ixor ilshift irshift"
)

METHODS: Final = _special(
    "init new post_init init_subclass repr str bytes format bool hash eq ne lt le gt ge "
    "len length_hint contains iter next reversed getitem setitem delitem missing call "
    "enter exit get copy deepcopy "
    "int float complex index round trunc floor ceil neg pos abs invert " + _OPERATORS
)
"""Special methods that a script may define and call."""

SETTERS: Final = _special("setattr delattr getattribute")
"""Special methods that a script may define, and call on its own objects."""

NAMES: Final = (
    METHODS
    | SETTERS
    | _special("getattr set delete set_name class_getitem subclasshook dir")
    | _special("slots name doc debug all version author")
)
"""Special names that a script may bind and use. `__del__` is not one: it runs at no fixed time."""

READ: Final = (
    METHODS
    | _special("name qualname doc module class members wrapped slots version total")
    | _special("cause context notes suppress_context required_keys optional_keys")
    | {"_fields", "_field_defaults", "_asdict", "_replace", "_make"}  # of named tuples
    | {"_value_", "_name_", "_missing_", "_value2member_map_"}  # of enumerations
)
"""Attributes with an underscore that a script may read of every object."""

READ_OF_OWN: Final = _special(
    "dict annotations mro bases match_args defaults kwdefaults dataclass_fields abstractmethods "
    "orig_class orig_bases"
)
"""Special attributes that a script may read of what it made itself."""

ENUMERATION_ALIASES: Final = frozenset({"_add_alias_", "_add_value_alias_"})
"""Methods, from Python 3.13 on, by which a script gives other names to members of its own
enumerations."""

_READABLE: Final = READ | READ_OF_OWN | SETTERS
_SETTABLE: Final = READ - _special("class members")

FORMATTERS: Final = frozenset({"format", "format_map", "vformat", "get_field", "get_value"})
"""Methods that read attributes by the text of a format."""

GUARDS: Final = frozenset({"_getattr_", "_write_"})
"""Functions that the policy puts into a script's code; a script may not use their names."""


def is_special(name: str) -> bool:
    """Say whether a name has two underscores at both ends."""
    return name[:2] == "__" == name[-2:]


def is_plain(name: str) -> bool:
    """Say whether every script may read this attribute of every object, without a guard."""
    return name[:1] != "_" and name not in FORMATTERS and name not in INSPECT_ATTRIBUTES


def attribute_refusal(name: str, *, is_set: bool = False) -> str:
    """Return why no script may read an attribute of this name, or set it; empty if some may."""
    allowed = _SETTABLE if is_set else _READABLE
    if name in INSPECT_ATTRIBUTES:
        fault = f"attribute {name!r} is internal to the interpreter"
    elif is_special(name) and name not in allowed:
        fault = f"special attribute {name!r} is not available"
    else:
        return ""
    remedy = ATTRIBUTES_INSTEAD.get(name, "work with values, methods and functions instead")
    return f"{fault}; {remedy}"


class ScriptPolicy(RestrictingNodeTransformer):
    """RestrictedPython's policy, and what models' scripts need besides: a permission a method.

    A form of syntax that neither RestrictedPython nor a method here permits is refused.
    """

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self._classes: list[str] = []
        """The classes around the current node, the innermost last."""

    # Faults

    def error(self, node: ast.AST, info: str) -> None:
        """Record a fault with its place."""
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", -1) + 1
        # The library keeps texts there, and only asks whether there are any.
        self.errors.append(Fault(line, column, info))  # type: ignore[arg-type]

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a form of syntax that no method permits."""
        kind = type(node).__name__
        self.error(node, SYNTAX_INSTEAD.get(kind, f"{kind} statements are not allowed"))

    # Names

    def check_name(
        self, node: ast.AST, name: str | None, allow_magic_methods: bool = False
    ) -> None:
        """Permit names with a leading underscore, but not those of guards and of other specials."""
        if name is None or name[:1] != "_":
            return
        if name in GUARDS or (is_special(name) and name not in NAMES):
            remedy = BUILTINS_INSTEAD.get(name, "use an ordinary name")
            self.error(node, f"name {name!r} is not available; {remedy}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Permit `print` as an ordinary builtin, which RestrictedPython would replace."""
        self.check_name(node, node.id)
        return node

    # Attributes

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Permit private attributes by a guard of reads, and assignment by a guard of writes."""
        refusal = attribute_refusal(node.attr)
        if refusal:
            self.error(node, refusal)
        node.value = self.visit(node.value)
        name = self._name_in_class(node.attr)

        if not isinstance(node.ctx, ast.Load):
            node.value = self._call_guard("_write_", node, name)
            return node
        if is_plain(name):  # The guard would let it through for every object.
            return node
        return self._call_guard("_getattr_", node, name)

    def _name_in_class(self, name: str) -> str:
        """Return a private name as Python spells it in a class: `_Parser__lines` for `__lines`."""
        if self._classes and name[:2] == "__" and not is_special(name):
            return f"_{self._classes[-1]}{name}"
        return name

    def _call_guard(self, guard: str, node: ast.Attribute, name: str) -> ast.Call:
        """Return the call of a guard with an attribute's object and name."""
        call = ast.Call(ast.Name(guard, ast.Load()), [node.value, ast.Constant(name)], [])
        copy_locations(call, node)
        return call

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Permit `+=` and its kin, except on an attribute whose reading needs a guard."""
        if isinstance(node.target, ast.Attribute) and node.target.attr in FORMATTERS:
            self.error(node, f"{node.target.attr!r} cannot be assigned in place")
        return self.node_contents_visit(node)

    # Items, iteration and calls: what they reach is the script's own, or a copy

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Permit items without a guard."""
        return self.node_contents_visit(node)

    def guard_iter(self, node: ast.For | ast.comprehension) -> ast.AST:
        """Permit iteration without a guard."""
        return self.node_contents_visit(node)

    def visit_With(self, node: ast.With) -> ast.AST:
        """Permit `with`, and unpack its targets without a guard."""
        return self.node_contents_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Permit calls with `*arguments` and `**arguments`."""
        return self.node_contents_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Permit assignment, and unpack without a guard; `__match_args__` takes plain names."""
        if _declares_plain_match_args(node):
            return node
        return self.node_contents_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Permit assignment with an annotation."""
        return self.node_contents_visit(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        """Permit `nonlocal`."""
        return node

    # Classes and types

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Permit classes with keywords, except metaclasses."""
        self.check_name(node, node.name)
        for keyword in node.keywords:
            if keyword.arg in ("metaclass", None):
                name = keyword.arg or "**"
                self.error(node, f"{name} is not allowed; derive from a class, such as abc.ABC")

        self._classes.append(node.name.lstrip("_"))
        self.node_contents_visit(node)
        self._classes.pop()
        return node

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        """Permit `type Name = ...`."""
        return self.node_contents_visit(node)

    def visit_TypeVar(self, node: Any) -> Any:
        """Permit a type parameter by an ordinary name."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_ParamSpec = visit_TypeVar
    visit_TypeVarTuple = visit_TypeVar

    # Patterns

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Permit `match`."""
        return self.node_contents_visit(node)

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        """Permit the cases of a `match`."""
        return self.node_contents_visit(node)

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.AST:
        """Permit `None`, `True` and `False` as patterns."""
        return node

    def visit_MatchSequence(self, node: ast.MatchSequence) -> ast.AST:
        """Permit patterns of sequences."""
        return self.node_contents_visit(node)

    def visit_MatchOr(self, node: ast.MatchOr) -> ast.AST:
        """Permit alternative patterns."""
        return self.node_contents_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        """Permit patterns that bind an ordinary name."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        """Permit patterns of mappings; the rest has an ordinary name."""
        self.check_name(node, node.rest)
        return self.node_contents_visit(node)

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """Permit literals and dotted names of plain attributes."""
        self._check_plain_names(node)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        """Permit class patterns that name plain attributes."""
        self._check_plain_names(node.cls)
        for name in node.kwd_attrs:
            if not is_plain(name):
                remedy = "match the object and read the attribute"
                self.error(node, f"attribute {name!r} cannot be matched; {remedy}")
        node.patterns = [self.visit(pattern) for pattern in node.patterns]
        node.kwd_patterns = [self.visit(pattern) for pattern in node.kwd_patterns]
        return node

    def _check_plain_names(self, node: ast.AST) -> None:
        """Refuse names and attributes that need a guard, where the syntax has no place for one."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                self.check_name(part, part.id)
            elif isinstance(part, ast.Attribute) and not is_plain(part.attr):
                refusal = attribute_refusal(part.attr)
                self.error(part, refusal or f"attribute {part.attr!r} is not available here")


def _declares_plain_match_args(node: ast.Assign) -> bool:
    """Say whether a statement is like `__match_args__ = ("x", "y")`, with plain names alone.

    Positional patterns read these attributes without a guard.
    """
    target = node.targets[0]
    if len(node.targets) != 1 or not isinstance(target, ast.Name):
        return False
    if target.id != "__match_args__" or not isinstance(node.value, ast.Tuple):
        return False
    for element in node.value.elts:
        name = element.value if isinstance(element, ast.Constant) else None
        if not isinstance(name, str) or not is_plain(name):
            return False
    return True


# Compiling


def compile_script(source: str, *, is_guarded: bool) -> CodeType:
    """Return the code of a script, under the policy if it is guarded. Raises `RefusedScript`."""
    try:
        tree = ast.parse(source, SCRIPT)
        if not is_guarded:
            return compile(tree, SCRIPT, "exec", dont_inherit=True)
        return compile_restricted(tree, SCRIPT, policy=ScriptPolicy)
    except SyntaxError as error:
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
    """Return the faults that the policy recorded, by place; empty if the source is not Python."""
    recorded = error.args[0]
    if isinstance(recorded, str):
        return []
    return sorted(recorded, key=lambda fault: (fault.line, fault.column))


def _shown_faults(faults: list[Fault]) -> list[Fault]:
    """Return the faults that a script is shown; the first ones are mended first."""
    shown = faults[: bounds.SHOWN_REFUSALS]
    if len(faults) > len(shown):
        first_hidden = faults[len(shown)]
        shown.append(first_hidden._replace(message="more faults follow; mend these first"))
    return shown


def _syntax_fault(error: SyntaxError) -> Fault:
    """Return Python's own syntax error, with the line that it shows."""
    message = error.msg
    line = (error.text or "").strip()
    if line:
        message += f": {line[:200]}"  # A script may be one long line.
    return Fault(error.lineno or 1, error.offset or 0, message)


def compile_annotation(
    text: str, file: str = SCRIPT, mode: str = "eval", **options: Any
) -> CodeType:
    """Return the code of an annotation in quotes under the policy. Raises `SyntaxError`.

    It may neither call nor bind anything. The library calls this in place of `compile`.
    """
    tree = ast.parse(text, file, "eval")
    for part in ast.walk(tree):
        if isinstance(part, (ast.Call, ast.NamedExpr)):
            msg = f"an annotation in quotes is a name or a type, not {text!r:.80}"
            raise SyntaxError(msg)  # noqa: TRY004 - what a compiler raises
    return compile_restricted(tree, file, "eval", policy=ScriptPolicy)
