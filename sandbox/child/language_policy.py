"""The language wall, from source text to code: the names, attributes and syntax that a script may use.

It reports every fault of a source at once, with line, column and a remedy; a traceback shows only lines of the script.
It is not a boundary: the process wall and the kernel wall are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from types import CodeType
from typing import Final, NamedTuple

from RestrictedPython.transformer import INSPECT_ATTRIBUTES

SCRIPT: Final = "<script>"
"""The file name in a script's code."""
MAX_FRAMES: Final = 12
MAX_MESSAGE: Final = 4_000
MAX_CHAIN: Final = 3
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
_IN_WORDS: Final = "print type(error).__name__ and error, or traceback.format_exc() with the script's lines"
ATTRIBUTES_INSTEAD: Final = {
    **dict.fromkeys(("__traceback__", "tb_lineno", "tb_frame", "tb_next"), _IN_WORDS),
    "__globals__": "use names directly",
}
"""Attributes that scripts do not get, with what to do instead."""
_NO_NETWORK: Final = "there is no network; data is reached through harness"
_ONE_AFTER_ANOTHER: Final = "every call here is synchronous; use a loop, or map(...)"
_ONLY_HARNESS: Final = "files are reached through harness: harness.read, harness.list, harness.find, harness.write"
_BY_TEXT: Final = "parse the text with re, str.split, csv or json"
MODULES_INSTEAD: Final = {
    "os": f"{_ONLY_HARNESS}; split and join paths with posixpath",
    **dict.fromkeys(("os.path", "ntpath"), "split and join paths with posixpath"),
    "pathlib": "files are reached through harness; split and join paths with posixpath",
    **dict.fromkeys(("shutil", "tempfile", "fileinput", "zipfile", "tarfile", "gzip", "bz2", "lzma"), _ONLY_HARNESS),
    "subprocess": "tools are run with harness.exec(path, args)",
    **dict.fromkeys(
        ("requests", "urllib.request", "http", "socket", "aiohttp", "httpx", "smtplib", "ssl"), _NO_NETWORK
    ),
    "sqlite3": "query with the environment's own tool, as harness.exec('/bin/sql', stdin=query)",
    "pandas": "use csv and collections",
    "numpy": "use math and statistics",
    "logging": "use console.log(...)",
    **dict.fromkeys(
        ("asyncio", "threading", "multiprocessing", "concurrent", "concurrent.futures"), _ONE_AFTER_ANOTHER
    ),
    "queue": "use collections.deque, or heapq for priorities",
    **dict.fromkeys(("pickle", "shelve", "marshal", "copyreg"), "use json"),
    "glob": "use harness.find(name)",
    **dict.fromkeys(("yaml", "configparser", "xml", "xml.etree", "html.parser", "bs4", "tomllib", "toml"), _BY_TEXT),
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
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < MAX_CHAIN:
        seen.add(id(current))
        cause = current.__cause__
        link = "\nwhich was raised from:\n" if cause is not None else "\nwhile handling:\n"
        parts.append(_describe_one(current, lines, missing))
        current = cause if cause is not None or current.__suppress_context__ else current.__context__
        if current is not None and id(current) not in seen and len(seen) < MAX_CHAIN:
            parts.append(link)
    return "".join(parts)


def _describe_one(error: BaseException, lines: list[str], missing: Callable[[str], str]) -> str:
    frames: list[str] = []
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename == SCRIPT:
            where = "" if code.co_name == "<module>" else f", in {code.co_name}"
            line = lines[entry.tb_lineno - 1].strip() if 0 < entry.tb_lineno <= len(lines) else ""
            frames.append(f"  line {entry.tb_lineno}{where}: {line[:200]}")
        entry = entry.tb_next
    if len(frames) > MAX_FRAMES:
        half = MAX_FRAMES // 2
        frames[half:-half] = [f"  ... {len(frames) - MAX_FRAMES} more calls ..."]
    head = ["Traceback (your own lines, last call last):", *frames] if frames else []
    return "\n".join([*head, title_of(error, missing)])


def title_of(error: BaseException, missing: Callable[[str], str]) -> str:
    """Return `Type: message`, even if the exception's own methods fail or lie."""
    name = type(error).__name__
    message = "(its message cannot be shown)"
    with suppress(Exception):  # Its own `__str__` may raise anything.
        message = str.__str__(str(error))
    if len(message) > MAX_MESSAGE:
        cut = len(message) - MAX_MESSAGE
        message = f"{message[: MAX_MESSAGE // 2]} ... {cut} characters cut ... {message[-MAX_MESSAGE // 2 :]}"
    if isinstance(error, MemoryError) and not message:
        message = "the script needed more memory than it may add"
    if isinstance(error, NameError) and isinstance(error.name, str):
        hint = missing(error.name)
        message += f"; {hint}" if hint else ""
    return f"{name}: {message}" if message else name


MOST_FAULTS: Final = 50
WRITE_GUARD: Final = "_write_"
"""The guard of assigned attributes."""
INTERNAL: Final = frozenset(
    {
        *("__builtins__", "__closure__", "__code__", "__del__", "__file__", "__globals__", "__import__", "__loader__"),
        *("__spec__", "__traceback__"),
    }
)
"""Special names that lead out of a script; `__del__` runs at no fixed time. Attributes of `INSPECT_ATTRIBUTES`, which
lead there too, are refused as well."""
NAMING_FIELDS: Final = ("id", "name", "asname", "arg", "rest", "names")
"""Fields of nodes that hold names."""


def compile_script(source: str, *, is_guarded: bool) -> CodeType:
    """Return the code of a script, under the policy if it is guarded. Raises `Refused`."""
    try:
        tree = ast.parse(source, SCRIPT)
        if is_guarded:
            faults = apply_policy(tree)
            if faults:
                raise Refused(faults, is_syntax=False)
        return compile(tree, SCRIPT, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refused([_syntax_fault(error)], is_syntax=True) from None
    except (ValueError, RecursionError, MemoryError) as error:
        message = str(error) if isinstance(error, ValueError) else "nested too deeply; split it into statements"
        raise Refused([Fault(1, 1, message)], is_syntax=True) from None


def _syntax_fault(error: SyntaxError) -> Fault:
    shown = (error.text or "").strip()
    return Fault(error.lineno or 1, error.offset or 0, f"{error.msg}{f': {shown[:200]}' if shown else ''}")


def apply_policy(tree: ast.AST) -> list[Fault]:
    """Send the objects of assigned attributes through the guard, and return what the policy refuses, at most
    `MOST_FAULTS`, by place."""
    refusals: dict[Fault, None] = {}

    def refuse(node: ast.AST, message: str) -> None:
        refusals[Fault(getattr(node, "lineno", 1), getattr(node, "col_offset", -1) + 1, message)] = None

    nodes = [tree]
    for node in nodes:  # quicker than `ast.walk`
        kind = type(node).__name__
        if kind in REFUSED_SYNTAX:
            refuse(node, REFUSED_SYNTAX[kind])
        for field, held in vars(node).items():
            if type(held) is int:
                continue  # its place
            for part in held if type(held) is list else (held,):
                if isinstance(part, ast.AST):
                    nodes.append(part)
                elif part in INTERNAL and field in NAMING_FIELDS:
                    refuse(node, f"name {part!r} is not available; {INSTEAD.get(part, 'use an ordinary name')}")
        if isinstance(node, ast.Attribute):
            if node.attr in INSPECT_ATTRIBUTES or node.attr in INTERNAL:
                is_special = node.attr in INTERNAL
                what = f"{'special ' * is_special}attribute {node.attr!r} is "
                what += "not available" if is_special else "internal to the interpreter"
                instead = ATTRIBUTES_INSTEAD.get(node.attr, "work with values, methods and functions instead")
                refuse(node, f"{what}; {instead}")
            if not isinstance(node.ctx, ast.Load):  # The walk has the parts of `node` already, not the guard's.
                guard = ast.Call(ast.Name(WRITE_GUARD, ast.Load()), [node.value, ast.Constant(node.attr)], [])
                node.value = ast.fix_missing_locations(ast.copy_location(guard, node))
    faults = sorted(refusals, key=lambda fault: (fault.line, fault.column))
    for first_hidden in faults[MOST_FAULTS : MOST_FAULTS + 1]:
        faults[MOST_FAULTS:] = [first_hidden._replace(message="more faults follow; mend these first")]
    return faults
