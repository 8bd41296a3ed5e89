"""Compiles scripts with RestrictedPython, and checks the names that they use."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, ClassVar, Final, TypeVar

from RestrictedPython.compile import compile_restricted, compile_restricted_exec
from RestrictedPython.transformer import (
    INSPECT_ATTRIBUTES,
    RestrictingNodeTransformer,
    copy_locations,
)

from controlplane.sandbox.child.language.script_errors import (
    SCRIPT,
    RefusedScript,
    ScriptFault,
)
from controlplane.sandbox.child.language.script_modules import (
    ATTRIBUTES_INSTEAD,
    BUILTINS_INSTEAD,
    SYNTAX_INSTEAD,
)
from controlplane.sandbox.interface import bounds

# The names with underscores that a script may define, read and set.
#
# `FORMATTERS` has names without underscores that need a guard as well.
#
# Attributes with underscores lead out of the language layer, as in
# `().__class__.__base__.__subclasses__()`. So everything that is not listed here is
# refused. Four lists, from the widest use to the narrowest:
#
# | list | a script may | for example |
# |---|---|---|
# | `BINDABLE` | define, assign and use the name | `def __len__(self): ...`, `__all__ = []` |
# | `READABLE` | read the attribute of any object | `error.__class__.__name__` |
# | `READABLE_OF_OWN` | read it of what the script itself made | `Point.__annotations__` |
# | `SETTERS` | call it on what the script itself made | `object.__setattr__(self, "x", 1)` |
#
# A name without underscores needs no list. Private names, with one underscore,
# are decided by a guard when the script runs, because only then it is known whose
# object it is (`guards`).


def _special(names: str) -> frozenset[str]:
    """Return the special names of words: `"init repr"` -> `{"__init__", "__repr__"}`."""
    return frozenset(f"__{name}__" for name in names.split())


# Names that a script may define and use

_METHODS_OF_OBJECTS: Final = _special(
    "init new post_init init_subclass repr str bytes format bool hash"
)
_METHODS_OF_COMPARISON: Final = _special("eq ne lt le gt ge")
_METHODS_OF_CONTAINERS: Final = _special(
    "len length_hint contains iter next reversed getitem setitem delitem missing"
)
# `_special("call enter")` is the set of `__call__` and `__enter__`.
_METHODS_OF_PROTOCOLS: Final = _special("call enter exit get copy deepcopy")
_METHODS_OF_NUMBERS: Final = _special(
    "int float complex index round trunc floor ceil neg pos abs invert"
)
_OPERATORS: Final = _special(
    "add sub mul truediv floordiv mod pow matmul divmod and or xor lshift rshift"
)
_REFLECTED_OPERATORS: Final = _special(
    "radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rdivmod rand ror rxor rlshift rrshift"
)
_IN_PLACE_OPERATORS: Final = _special(
    "iadd isub imul itruediv ifloordiv imod ipow imatmul idivmod iand ior ixor ilshift irshift"
)

_METHODS: Final = (
    _METHODS_OF_OBJECTS
    | _METHODS_OF_COMPARISON
    | _METHODS_OF_CONTAINERS
    | _METHODS_OF_PROTOCOLS
    | _METHODS_OF_NUMBERS
    | _OPERATORS
    | _REFLECTED_OPERATORS
    | _IN_PLACE_OPERATORS
)
"""Special methods of ordinary classes. Calling one does no more than the
operator or function that calls it, so they may also be read of any object."""

SETTERS: Final = _special("setattr delattr getattribute")
"""Methods that set or read any attribute. The guards check the attribute that is passed to them."""

_METHODS_CALLED_BY_PYTHON: Final = _special(
    "getattr set delete set_name class_getitem subclasshook dir"
)
"""Methods that a class may define, and that only the interpreter calls."""

_VARIABLES: Final = _special("slots name doc debug all version author")
"""Variables that modules and classes usually define."""

BINDABLE: Final = _METHODS | SETTERS | _METHODS_CALLED_BY_PYTHON | _VARIABLES
"""Special names that a script may define and use. `__del__` is not one of them:
the interpreter calls it at no fixed time, so that a replay could differ."""


# Attributes that a script may read

_OF_NAMED_TUPLES: Final = frozenset(
    {"_fields", "_field_defaults", "_asdict", "_replace", "_make"}
)
_OF_ENUMERATIONS: Final = frozenset(
    {"_value_", "_name_", "_missing_", "_value2member_map_"}
)

READABLE: Final = (
    _METHODS
    | _special("name qualname doc module class")  # of classes and functions
    # of enumerations, and of functions that wrap another one
    | _special("members wrapped")
    | _special("slots version")  # variables of classes and modules
    | _special("total required_keys optional_keys")  # of typed dictionaries
    | _special("cause context notes suppress_context")  # of exceptions
    | _OF_NAMED_TUPLES
    | _OF_ENUMERATIONS
)
"""Attributes with underscores that a script may read of any object.
None of them leads to a namespace, to a frame, or to all subclasses of a class."""

READABLE_OF_OWN: Final = _special(
    "dict annotations mro bases match_args defaults kwdefaults dataclass_fields abstractmethods "
    "orig_class orig_bases"
)
"""Special attributes that a script may read of the functions, classes and objects
that it made itself. Of an object of the library, they would lead to namespaces
and classes of the library."""

ENUMERATION_ALIASES: Final = frozenset({"_add_alias_", "_add_value_alias_"})
"""Methods, from Python 3.13 on, by which a script
gives other names to members of its own enumerations."""

_READABLE_OF_SOME_OBJECT: Final = READABLE | READABLE_OF_OWN | SETTERS
"""Special attributes for which a guard decides, by the object, when the script runs."""

_SETTABLE: Final = READABLE - _special("class members")
"""Setting `__class__` would turn an object into one of another class.
`__members__` is a read-only property of enumerations."""


# Attributes that need a guard

FORMATTERS: Final = frozenset(
    {"format", "format_map", "vformat", "get_field", "get_value"}
)
"""Methods that read attributes by the text of a format,
as in `"{0.__class__}".format(x)`. A guard checks the text."""


def is_special(name: str) -> bool:
    """Return True if a name has two underscores at both ends."""
    return name.startswith("__") and name.endswith("__")


def needs_no_guard(name: str) -> bool:
    """Return True if an attribute of this name may be read without asking a guard.

    Every name with an underscore in front is left to the guard, which permits those in
    `READABLE`. `INSPECT_ATTRIBUTES` are names such as `f_globals` and `gi_frame`, which
    lead to frames and code.
    """
    if name.startswith("_"):
        return False
    return name not in FORMATTERS and name not in INSPECT_ATTRIBUTES


def attribute_refusal(name: str, *, is_set: bool = False) -> str:
    """Return why no script may read an attribute of this name, or set it; empty if some may.

    `attribute_refusal("__globals__")` -> `special attribute '__globals__' is not available; ...`.
    For attributes that some objects may give, such as `__dict__`, a guard decides by the
    object when the script runs.
    """
    allowed = _SETTABLE if is_set else _READABLE_OF_SOME_OBJECT
    if name in INSPECT_ATTRIBUTES:
        fault = f"attribute {name!r} is internal to the interpreter"
    elif is_special(name) and name not in allowed:
        fault = f"special attribute {name!r} is not available"
    else:
        return ""
    remedy = ATTRIBUTES_INSTEAD.get(
        name, "work with values, methods and functions instead"
    )
    return f"{fault}; {remedy}"


# Compiles scripts, and the annotations in them, under the language policy.

# The language policy: which Python syntax a script may use.
#
# RestrictedPython parses a script into a syntax tree and calls `visit_X` of
# `_ScriptPolicy` for every node of type `X`. A method permits the node by returning it,
# replaces it, or reports a fault. A type of node for which neither RestrictedPython nor
# this module has a method is refused.
#
# The tree contains names, but not objects. Checks that depend on an object are
# made when the script runs: the policy replaces `x.__name__` by `_getattr_(x,
# "__name__")`, and `x.name = 1` by `_write_(x, "name").name = 1`. These two functions,
# the guards, are in `guards`.
#
# This layer is an additional defence. The walls around the process protect the machine
# even without it.

# ruff: noqa: N802, N815 - RestrictedPython calls methods by the names of syntax nodes


_READ_GUARD: Final = "_getattr_"
_WRITE_GUARD: Final = "_write_"
"""The names under which a script's code calls the guards.
The script itself may not use these names."""


_Node = TypeVar("_Node", bound=ast.AST)


class _ScriptPolicy(RestrictingNodeTransformer):
    """Decides for each node of a script's syntax tree if the script may use it.

    It is RestrictedPython's own policy, extended by the syntax that models' scripts need. A
    method `visit_X` gets a node of the type `X`, and returns it or another one in its place.
    """

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self._enclosing_classes: list[str] = []
        """The names of the class statements around the current node, the innermost last."""

    # Faults

    def error(self, node: ast.AST, info: str) -> None:
        """Report a fault, such as `exec is not available`, at the place of a node.

        The visit goes on, so that a model gets all faults at once.
        """
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", -1) + 1
        fault = ScriptFault(line, column, info)
        # RestrictedPython keeps texts in this list, but only asks whether it is empty.
        self.errors.append(fault)  # type: ignore[arg-type] # a fault instead of a text

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a node for which there is no method `visit_X`. RestrictedPython calls this."""
        kind = type(node).__name__
        self.error(node, SYNTAX_INSTEAD.get(kind, f"{kind} statements are not allowed"))

    # Visiting

    _visitors: ClassVar[dict[type[ast.AST], Callable[[Any, Any], Any]]] = {}
    """The method for each type of node that was visited so far."""

    def visit(self, node: ast.AST) -> Any:
        """Call `visit_X` for a node of the type `X`, or `generic_visit`, which refuses it.

        As the library does, but the method is looked up only once for each type.
        """
        kind = type(node)
        visitor: Any = self._visitors.get(kind)
        if visitor is None:
            policy = type(self)
            visitor = getattr(policy, f"visit_{kind.__name__}", policy.generic_visit)
            self._visitors[kind] = visitor
        return visitor(self, node)

    def node_contents_visit(self, node: _Node) -> _Node:
        """Visit the parts of a node, and put in the place of each what its method returned.

        As the library does, but in half the time, which is a tenth of a short step's. A refused
        part is None; it is taken out of its list.
        """
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list):
                value[:] = self._visited_list(value)
        return node

    def _visited_list(self, parts: list[Any]) -> list[Any]:
        """Return the parts of a node that are in one list, such as statements, after their visit."""
        visited = []
        for part in parts:
            if isinstance(part, ast.AST):
                part = self.visit(part)
                if part is None:
                    continue
            # Some lists have None in place of a part, as for `**x` in `{**x, "a": 1}`.
            visited.append(part)
        return visited

    # Syntax that is permitted if its parts are. RestrictedPython would guard some of it,
    # because it also serves applications that share objects with scripts. Here, a script
    # gets only its own objects, or copies.

    def permit_with_parts(self, node: ast.AST) -> ast.AST:
        """Permit a node if its parts are permitted: visit each of them."""
        return self.node_contents_visit(node)

    visit_Subscript = permit_with_parts  # x[0]
    visit_Call = permit_with_parts  # f(x, *arguments, **named)
    visit_With = permit_with_parts  # with x as (a, b)
    visit_AnnAssign = permit_with_parts  # x: int = 1
    visit_TypeAlias = permit_with_parts  # type Name = int
    # RestrictedPython calls it by this name.
    guard_iter = permit_with_parts  # for x in items
    visit_Match = permit_with_parts  # match x:
    visit_match_case = permit_with_parts  # case ...:
    visit_MatchSequence = permit_with_parts  # case [a, b]:
    visit_MatchOr = permit_with_parts  # case a | b:

    # Syntax without parts

    def permit(self, node: ast.AST) -> ast.AST:
        """Permit a node as it is."""
        return node

    visit_Nonlocal = permit  # nonlocal x
    visit_MatchSingleton = permit  # case None:
    visit_Constant = permit  # 1
    visit_Load = permit  # that a name is read
    visit_Store = permit  # that a name is assigned

    # Names

    def check_name(
        self, node: ast.AST, name: str | None, allow_magic_methods: bool = False
    ) -> None:
        """Report a name that a script may not use: of a guard, or a special one such as `__del__`.

        RestrictedPython would refuse every name that begins with an underscore. The
        parameters are those of the method that this one replaces.
        """
        if name is None or not name.startswith("_"):
            return
        is_guard = name in (_READ_GUARD, _WRITE_GUARD)
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
        """Permit `x.name`, or replace it by the call of a guard, which decides by the object.

        A guard is a function that runs with the script. Attributes that no object may give
        are reported as faults at once.
        """
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
            return _guard_call(_READ_GUARD, node, name)

        # `x.name = 1` becomes `_write_(x, "name").name = 1`: the guard returns `x`, or raises.
        node.value = _guard_call(_WRITE_GUARD, node, name)
        return node

    def _name_in_class(self, name: str) -> str:
        """Return a private name as Python spells it in a class: `__lines` -> `_Parser__lines`.

        Python replaces the name of an attribute, but not the text that a guard gets.
        """
        if self._enclosing_classes and name.startswith("__") and not is_special(name):
            return f"_{self._enclosing_classes[-1]}{name}"
        return name

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Permit `+=` and so on, except for attributes with the name of a formatting method.

        `x.format += 1` reads `x.format` and sets it, but only the guard for setting is
        called. It permits this name, because a script may give its own objects such an
        attribute. But reading it could return the method of a text, without a check.
        """
        if isinstance(node.target, ast.Attribute) and node.target.attr in FORMATTERS:
            self.error(node, f"{node.target.attr!r} cannot be assigned in place")
        return self.node_contents_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Permit assignment.

        The special name `__match_args__` would be refused with the other parts of the
        statement. So `__match_args__ = ("x", "y")` is permitted as a whole, if a pattern may
        read these attributes without a guard.
        """
        if _is_plain_match_args(node):
            return node
        return self.node_contents_visit(node)

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

    def visit_TypeVar(self, node: Any) -> Any:
        """Permit a type parameter, as in `def first[T](items: list[T]) -> T`."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_ParamSpec = visit_TypeVar
    visit_TypeVarTuple = visit_TypeVar

    # Patterns of `match`. `case Point(x=0):` reads the attribute `x`, and the syntax has no
    # place for the call of a guard. So a pattern may only read attributes that need no
    # guard, which are those with an ordinary name.

    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        """Permit `case name:` and `case ... as name:`."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.AST:
        """Permit `case [first, *rest]:`."""
        self.check_name(node, node.name)
        return node

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        """Permit `case {"key": value, **rest}:`."""
        self.check_name(node, node.rest)
        return self.node_contents_visit(node)

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        """Permit `case 1:` and `case Color.RED:`."""
        self._check_names_in_pattern(node)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        """Permit `case Point(x=0, y=0):`. `kwd_attrs` are the names `x` and `y`."""
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


def _guard_call(guard: str, node: ast.Attribute, name: str) -> ast.Call:
    """Return the node of the call `guard(object, "name")`, which replaces `object.name`."""
    call = ast.Call(ast.Name(guard, ast.Load()), [node.value, ast.Constant(name)], [])
    copy_locations(call, node)
    return call


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


_SHOWN_LINE_CHARS: Final = 200
"""Characters that are shown of the line with a syntax error. A script may be one long line."""


def compile_script(source: str, *, is_guarded: bool) -> CodeType:
    """Compile a script, and apply the policy if it `is_guarded`. Raises `RefusedScript`.

    The exception has all faults of the script, each with its place and what to write
    instead. Its `is_syntax` is True if the script is not correct Python.
    """
    try:
        tree = ast.parse(source, SCRIPT)
        if not is_guarded:
            return compile(tree, SCRIPT, "exec", dont_inherit=True)
        compiled = compile_restricted_exec(tree, SCRIPT, policy=_ScriptPolicy)
    except SyntaxError as error:
        raise RefusedScript([_syntax_fault(error)], is_syntax=True) from None
    except ValueError as error:
        raise RefusedScript([ScriptFault(1, 1, str(error))], is_syntax=True) from None
    except (RecursionError, MemoryError):
        fault = ScriptFault(1, 1, "nested too deeply; split it into statements")
        raise RefusedScript([fault], is_syntax=True) from None

    if compiled.code is None:
        # The list `_ScriptPolicy.errors`
        faults: Sequence[Any] = compiled.errors
        raise RefusedScript(_shown_faults(faults), is_syntax=False)
    return compiled.code


def _shown_faults(faults: Sequence[ScriptFault]) -> list[ScriptFault]:
    """Return the first faults, in the order of the script. If there are more, the last one says so."""
    in_order = sorted(faults, key=lambda fault: (fault.line, fault.column))
    shown = in_order[: bounds.SHOWN_REFUSALS]
    if len(in_order) > len(shown):
        first_hidden = in_order[len(shown)]
        shown.append(
            first_hidden._replace(message="more faults follow; mend these first")
        )
    return shown


def _syntax_fault(error: SyntaxError) -> ScriptFault:
    """Return Python's own syntax error: `invalid syntax: x = = 1`."""
    message = error.msg
    line = (error.text or "").strip()
    if line:
        message += f": {line[:_SHOWN_LINE_CHARS]}"
    return ScriptFault(error.lineno or 1, error.offset or 0, message)


def compile_annotation(
    text: str, file: str = SCRIPT, mode: str = "eval", **options: Any
) -> CodeType:
    """Return the code of an annotation such as `"list[int]"`. Raises `SyntaxError`.

    An annotation may neither call nor assign anything, because the library evaluates it
    at times that a script does not choose.

    `guard_quoted_annotations` puts this function in the place of `compile` in modules such as
    `typing`. So it takes the parameters of `compile`. It ignores `mode` and `options`:
    an annotation is always an expression.
    """
    tree = ast.parse(text, file, "eval")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Call, ast.NamedExpr)):
            msg = f"an annotation in quotes is a name or a type, not {text!r:.80}"
            raise SyntaxError(msg)  # noqa: TRY004 - what a compiler raises
    return compile_restricted(tree, file, "eval", policy=_ScriptPolicy)
