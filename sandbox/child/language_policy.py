# ruff: noqa: N802, N815 - the names that RestrictedPython visits
"""The language layer, from source text to code: the names, attributes and syntax that a script may use.

It reports every fault of a source at once, with line, column and a remedy; a traceback shows only lines of the script.
It is not a boundary: the process layer and the kernel layer are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from traceback import walk_tb
from types import CodeType
from typing import Any, Final, NamedTuple

from RestrictedPython.compile import compile_restricted
from RestrictedPython.transformer import (
    INSPECT_ATTRIBUTES,
    RestrictingNodeTransformer,
    copy_locations,
)

from controlplane.sandbox.interface import bounds

SCRIPT: Final = "<script>"
"""The file name in a script's code."""
INSTEAD: Final = {
    "open": "read files with harness.read(path)",
    "eval": "parse data with json.loads(...)",
    "exec": "write the code itself into the script",
    "compile": "write the code itself into the script",
    "input": "nobody answers; all that is known is in the instruction and behind harness",
    "globals": "use names directly, and scratchpad for what must survive the step",
    "locals": "use names directly",
    "__file__": "there is no file; paths are those of harness",
    "__import__": "use an import statement",
    "__builtins__": "use the builtins by name",
}
"""Builtins that scripts do not get, with what to write instead."""
_IN_WORDS: Final = (
    "print type(error).__name__ and error, or traceback.format_exc() with the script's lines"
)
ATTRIBUTES_INSTEAD: Final = {
    **dict.fromkeys(("__traceback__", "tb_lineno", "tb_frame", "tb_next"), _IN_WORDS),
    "__globals__": "use names directly",
}
"""Attributes that scripts do not get, with what to do instead."""
_NO_NETWORK: Final = "there is no network; data is reached through harness"
_ONE_AFTER_ANOTHER: Final = "every call here is synchronous; use a loop, or map(...)"
_ONLY_HARNESS: Final = (
    "files are reached through harness: harness.read, harness.list, harness.find, harness.write"
)
_BY_TEXT: Final = "parse the text with re, str.split, csv or json"
MODULES_INSTEAD: Final = {
    "os": f"{_ONLY_HARNESS}; split and join paths with posixpath",
    **dict.fromkeys(("os.path", "ntpath"), "split and join paths with posixpath"),
    "pathlib": "files are reached through harness; split and join paths with posixpath",
    **dict.fromkeys(
        ("shutil", "tempfile", "fileinput", "zipfile", "tarfile", "gzip", "bz2", "lzma"),
        _ONLY_HARNESS,
    ),
    "subprocess": "tools are run with harness.exec(path, args)",
    **dict.fromkeys(
        ("requests", "urllib.request", "http", "socket", "aiohttp", "httpx", "smtplib", "ssl"),
        _NO_NETWORK,
    ),
    "sqlite3": "query with a tool of the environment: harness.exec(path_of_the_tool, stdin=query)",
    "pandas": "use csv and collections",
    "numpy": "use math and statistics",
    "logging": "use console.log(...)",
    **dict.fromkeys(
        ("asyncio", "threading", "multiprocessing", "concurrent", "concurrent.futures"),
        _ONE_AFTER_ANOTHER,
    ),
    "queue": "use collections.deque, or heapq for priorities",
    **dict.fromkeys(("pickle", "shelve", "marshal", "copyreg"), "use json"),
    "glob": "use harness.find(name)",
    **dict.fromkeys(("yaml", "toml"), _BY_TEXT),
    "bs4": "use html.parser",
    **dict.fromkeys(("xml.dom", "xml.sax", "lxml", "xml.dom.minidom"), "use xml.etree.ElementTree"),
    "mailbox": "messages are files below a mailbox; else use email",
    "secrets": "use random",
}
"""Modules that scripts do not get, with what to use instead."""
REFUSED_SYNTAX: Final = {
    "AsyncFunctionDef": "async def is not allowed; every call here is synchronous, use def",
    "Await": "await is not allowed; every call here is synchronous",
}
"""Refused kinds of syntax, by the name of their node, with what to write instead."""


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


def describe_refusal(refused: Refused) -> str:
    """Return all faults of a refused script, one per line."""
    head = "SyntaxError" if refused.is_syntax else "The script was refused; nothing of it ran"
    return "\n".join([f"{head}:", *(f"  {fault}" for fault in refused.faults)])


def describe_exception(error: BaseException, source: str, missing: Callable[[str], str]) -> str:
    """Return the traceback of `error` through the script's own lines, with its causes.

    `missing(name)` returns what to write instead of an undefined name, or an empty string.
    """
    lines = source.splitlines()
    chain = [("", error)]
    while len(chain) < bounds.SHOWN_CAUSES:
        last = chain[-1][1]
        before = (
            last.__context__
            if last.__cause__ is None and not last.__suppress_context__
            else last.__cause__
        )
        if before is None or any(before is told for _, told in chain):
            break
        chain.append(
            (
                "\nwhile handling:\n" if last.__cause__ is None else "\nwhich was raised from:\n",
                before,
            )
        )
    return "".join(link + _describe_one(told, lines, missing) for link, told in chain)


def _describe_one(error: BaseException, lines: list[str], missing: Callable[[str], str]) -> str:
    frames: list[str] = []
    for frame, number in walk_tb(error.__traceback__):
        code = frame.f_code
        if code.co_filename == SCRIPT:
            where = "" if code.co_name == "<module>" else f", in {code.co_name}"
            line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            frames.append(f"  line {number}{where}: {line[:200]}")
    if len(frames) > bounds.SHOWN_FRAMES:
        half = bounds.SHOWN_FRAMES // 2
        frames[half:-half] = [f"  ... {len(frames) - bounds.SHOWN_FRAMES} more calls ..."]
    head = ["Traceback (your own lines, last call last):", *frames] if frames else []
    return "\n".join([*head, title_of(error, missing)])


def title_of(error: BaseException, missing: Callable[[str], str]) -> str:
    """Return `Type: message`, even if the exception's own methods fail or lie."""
    name = type(error).__name__
    message = "(its message cannot be shown)"
    with suppress(Exception):  # Its own `__str__` may raise anything.
        message = str.__str__(str(error))
    if len(message) > bounds.SHOWN_MESSAGE_CHARS:
        cut, half = len(message) - bounds.SHOWN_MESSAGE_CHARS, bounds.SHOWN_MESSAGE_CHARS // 2
        message = f"{message[:half]} ... {cut} characters cut ... {message[-half:]}"
    if isinstance(error, MemoryError) and not message:
        message = "the script needed more memory than it may add"
    if isinstance(error, NameError) and isinstance(error.name, str):
        hint = missing(error.name)
        message += f"; {hint}" if hint else ""
    return f"{name}: {message}" if message else name


_PUT_IN: Final = (
    "_getattr_ _getitem_ _getiter_ _write_ _iter_unpack_sequence_ _unpack_sequence_ _print_ _print"
)
GUARDS: Final = frozenset(_PUT_IN.split())
"""Names that RestrictedPython puts into a script's code; a script may not use them itself."""


def _special(names: str) -> frozenset[str]:
    return frozenset(f"__{name}__" for name in names.split())


_OPERATORS: Final = "add sub mul truediv floordiv mod pow matmul divmod and or xor lshift rshift"
METHODS: Final = _special(
    "init new post_init repr str bytes format bool hash eq ne lt le gt ge len length_hint contains iter next reversed "
    "getitem setitem delitem missing call enter exit get init_subclass copy deepcopy int float complex index round "
    "trunc floor ceil neg pos abs invert "
    + " ".join(side + name for side in ("", "r", "i") for name in _OPERATORS.split())
)
"""Special methods that a script may define and call."""
SETTERS: Final = _special("setattr delattr getattribute")
"""Methods that a script may define, and call on its own objects."""
_DEFINED: Final = "getattr set delete set_name class_getitem subclasshook dir"
NAMES: Final = METHODS | SETTERS | _special(f"{_DEFINED} slots name doc debug all version author")
"""Special names that a script may bind and use. `__del__` is not among them: it runs at no fixed time."""
_SHOWN: Final = (
    "name qualname doc module class cause context notes suppress_context members wrapped slots version total "
    "required_keys optional_keys"
)
_PUBLIC: Final = (
    "_fields _field_defaults _asdict _replace _make _value_ _name_ _missing_ _value2member_map_"
)
READ: Final = METHODS | _special(_SHOWN) | {*_PUBLIC.split()}
"""Special attributes that a script may read of every object, and the public ones of named tuples and enumerations."""
READ_OF_OWN: Final = _special(
    "dict annotations mro bases match_args defaults kwdefaults dataclass_fields abstractmethods orig_class orig_bases"
)
"""Special attributes that a script may read of what it made itself."""
_READ_OF_SOME: Final = READ | READ_OF_OWN | SETTERS
_SET_OF_OWN: Final = READ - _special("class members")
FORMATTERS: Final = frozenset({"format", "format_map", "vformat", "get_field", "get_value"})
"""Methods that read attributes by the text of a format."""


def compile_script(source: str, *, is_guarded: bool) -> CodeType:
    """Return the code of a script, under the policy if it is guarded. Raises `Refused`."""
    try:
        tree = ast.parse(source, SCRIPT)
        if not is_guarded:
            return compile(tree, SCRIPT, "exec", dont_inherit=True)
        return compile_restricted(tree, SCRIPT, policy=ScriptPolicy)
    except SyntaxError as error:
        if faults := [fault for fault in error.args[0] if isinstance(fault, Fault)]:
            faults.sort(key=lambda fault: (fault.line, fault.column))
            shown, hidden = faults[: bounds.SHOWN_REFUSALS], faults[bounds.SHOWN_REFUSALS :]
            if hidden:
                shown.append(hidden[0]._replace(message="more faults follow; mend these first"))
            raise Refused(shown, is_syntax=False) from None
        raise Refused([_syntax_fault(error)], is_syntax=True) from None
    except (ValueError, RecursionError, MemoryError) as error:
        message = (
            str(error)
            if isinstance(error, ValueError)
            else "nested too deeply; split it into statements"
        )
        raise Refused([Fault(1, 1, message)], is_syntax=True) from None


def compile_annotation(
    text: str, file: str = SCRIPT, mode: str = "eval", **options: Any
) -> CodeType:
    """Return the code of an annotation in quotes under the policy. It calls and binds nothing. Raises `SyntaxError`."""
    tree = ast.parse(text, file, "eval")
    if any(isinstance(part, (ast.Call, ast.NamedExpr)) for part in ast.walk(tree)):
        msg = f"an annotation in quotes is a name or a type, not {text!r:.80}"
        raise SyntaxError(msg)
    return compile_restricted(tree, file, "eval", policy=ScriptPolicy)


def _syntax_fault(error: SyntaxError) -> Fault:
    shown = (error.text or "").strip()
    return Fault(
        error.lineno or 1, error.offset or 0, f"{error.msg}{f': {shown[:200]}' if shown else ''}"
    )


def attribute_refusal(name: str, *, is_set: bool = False) -> str:
    """Return why no script may read an attribute of this name, or set it, with a remedy; empty if some may."""
    if name in INSPECT_ATTRIBUTES:
        what = f"attribute {name!r} is internal to the interpreter"
    elif name[:2] == "__" == name[-2:] and name not in (_SET_OF_OWN if is_set else _READ_OF_SOME):
        what = f"special attribute {name!r} is not available"
    else:
        return ""
    return (
        f"{what}; {ATTRIBUTES_INSTEAD.get(name, 'work with values, methods and functions instead')}"
    )


def is_plain(name: str) -> bool:
    """Say whether every script may read this attribute of every object."""
    return name[:1] != "_" and name not in FORMATTERS and name not in INSPECT_ATTRIBUTES


class ScriptPolicy(RestrictingNodeTransformer):
    """RestrictedPython's policy, and by name what models' scripts need besides: a method or a line each."""

    def __init__(self, *collected: Any) -> None:
        super().__init__(*collected)
        self._classes: list[str] = []

    def error(self, node: ast.AST, info: str) -> None:
        """Record a fault with its place."""
        fault = Fault(getattr(node, "lineno", 1), getattr(node, "col_offset", -1) + 1, info)
        self.errors.append(fault)  # type: ignore[arg-type] # the library keeps texts there, and never looks at them

    def not_allowed(self, node: ast.AST) -> None:
        """Refuse a form of syntax that no method permits."""
        kind = type(node).__name__
        self.error(node, REFUSED_SYNTAX.get(kind, f"{kind} statements are not allowed"))

    def visit(self, node: ast.AST) -> Any:
        """Call the method of a node's kind, which is looked up once for all nodes."""
        return _METHODS[type(node)](self, node)

    node_contents_visit: Any = (
        ast.NodeTransformer.generic_visit
    )  # The library's own calls it, too: a call less a node.
    visit_Nonlocal = visit_Call = visit_TypeAlias = visit_Match = visit_match_case = (
        node_contents_visit
    )
    visit_MatchSingleton = visit_MatchSequence = visit_MatchOr = node_contents_visit

    def keep(self, node: Any) -> Any:
        """Permit what has no parts: most nodes of a script, whose fields the library would look through."""
        return node

    visit_Constant = keep

    def check_name(self, node: Any, name: str | None, allow_magic_methods: bool = False) -> None:
        """Permit names with a leading underscore, and listed special names; refuse those of guards."""
        if name is None or name[:1] != "_":
            return
        is_special = name[:2] == "__" == name[-2:] and name not in NAMES
        if is_special or name in GUARDS or (name[:4] == "_tmp" and name[4:].isdigit()):
            self.error(
                node, f"name {name!r} is not available; {INSTEAD.get(name, 'use an ordinary name')}"
            )

    def visit_Name(self, node: ast.Name) -> Any:
        """Leave `print` an ordinary builtin."""
        self.check_name(node, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Guard an attribute; a private one is named as its class names it."""
        if refusal := attribute_refusal(node.attr):
            self.error(node, refusal)
        node.value = self.visit(node.value)
        name = node.attr
        if self._classes and name[:2] == "__" != name[-2:]:
            name = f"_{self._classes[-1]}{name}"
        is_read = isinstance(node.ctx, ast.Load)
        if is_read and is_plain(
            name
        ):  # `safer_getattr` lets it through for every object: no call is needed.
            return node
        called = ast.Name("_getattr_" if is_read else "_write_", ast.Load())
        guard = ast.Call(called, [node.value, ast.Constant(name)], [])
        copy_locations(guard, node)
        if not is_read:
            node.value = guard
        return guard if is_read else node

    def judge_names(self, node: ast.AST) -> None:
        """Refuse names and attributes that not every script may read of every object, and leave the rest as it is."""
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and not is_plain(part.attr):
                self.error(
                    part,
                    attribute_refusal(part.attr)
                    or f"attribute {part.attr!r} is not available here",
                )
            elif isinstance(part, ast.Name):
                self.check_name(part, part.id)

    def visit_arg(self, node: Any) -> Any:
        """Permit annotations, which stay as they are written if their attributes need no guard."""
        field = "returns" if isinstance(node, ast.FunctionDef) else "annotation"
        kept = getattr(node, field)
        if is_kept := kept is not None and all(
            is_plain(getattr(part, "attr", "")) for part in ast.walk(kept)
        ):
            self.judge_names(kept)
            setattr(node, field, None)
        node = (
            super().visit_FunctionDef(node)
            if field == "returns"
            else self.node_contents_visit(node)
        )
        if is_kept:
            setattr(node, field, kept)
        return node

    visit_FunctionDef = visit_AnnAssign = visit_arg

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Permit augmented assignment to names, items and attributes, whose object the guard of writes judges."""
        if isinstance(node.target, ast.Attribute) and node.target.attr in FORMATTERS:
            self.error(node, f"{node.target.attr!r} cannot be assigned in place")
        return self.node_contents_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Permit classes with keywords, except metaclasses."""
        self.check_name(node, node.name)
        for keyword in node.keywords:
            if keyword.arg in ("metaclass", None):
                self.error(
                    node,
                    f"{keyword.arg or '**'} is not allowed; derive from a class, such as abc.ABC",
                )
        self._classes.append(node.name.lstrip("_"))
        node = self.node_contents_visit(node)
        self._classes.pop()
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Guard unpacking to one target; several get one value, evaluated once. `__match_args__` holds plain names."""
        first = node.targets[0]
        if (
            isinstance(first, ast.Name)
            and first.id == "__match_args__"
            and isinstance(node.value, ast.Tuple)
        ):
            held = [
                part.value if isinstance(part, ast.Constant) else None for part in node.value.elts
            ]
            if len(node.targets) == 1 and all(
                isinstance(name, str) and is_plain(name) for name in held
            ):
                return node
        return (
            super().visit_Assign(node) if len(node.targets) == 1 else self.node_contents_visit(node)
        )

    def visit_MatchClass(self, node: ast.MatchClass) -> Any:
        """Permit class patterns that name plain attributes."""
        self.judge_names(node.cls)
        for name in node.kwd_attrs:
            if not is_plain(name):
                self.error(
                    node,
                    f"attribute {name!r} cannot be matched; match the object and read the attribute",
                )
        node.patterns, node.kwd_patterns = (
            [self.visit(part) for part in held] for held in (node.patterns, node.kwd_patterns)
        )
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> Any:
        """Permit literals and dotted names of plain attributes."""
        self.judge_names(node)
        return node

    def visit_MatchAs(self, node: Any) -> Any:
        """Permit ordinary names."""
        self.check_name(node, node.rest if isinstance(node, ast.MatchMapping) else node.name)
        return self.node_contents_visit(node)

    visit_MatchStar = visit_MatchMapping = visit_TypeVar = visit_ParamSpec = visit_TypeVarTuple = (
        visit_MatchAs
    )


def _method(kind: type[ast.AST]) -> Callable[[ScriptPolicy, Any], Any]:
    permitted = getattr(ScriptPolicy, f"visit_{kind.__name__}", None)
    return (
        ScriptPolicy.generic_visit
        if permitted is None
        else permitted
        if kind._fields
        else ScriptPolicy.keep
    )


_METHODS: Final = {
    kind: _method(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
