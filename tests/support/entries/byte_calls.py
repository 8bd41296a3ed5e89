"""Code by which a program takes in bytes: which calls and imports do so, and what they take in.

A program may read a file, start a process, connect a socket, import a module or decode a text.
`kinds_of` tells which of these a node of a syntax tree does:

    path.read_text()     -> {"file"}
    import http.client   -> {"socket"}
    session.run(script)  -> set(), although `subprocess.run(words)` starts a process
"""

import ast
import re

CALLS = {
    "file": "open read_bytes read_text open_regular byte_stream read_whole iterdir scandir walk glob rglob",
    "process": "Popen run check_output open_process execv execve execvp system posix_spawn",
    "socket": "recv recv_into accept urlopen create_connection create_server open_connection socketpair AsyncClient",
    "import": "import_module exec eval compile __import__ exec_module run_path run_module",
    "decode": "loads load safe_load parse_json from_json literal_eval FromString ParseDict unpack",
}
"""Names of functions and methods that take in bytes, by what they do."""

IMPORTS = {
    "process": "subprocess multiprocessing",
    "socket": "socket socketserver http urllib.request uvicorn mcp openai httpx2 pyqwest distributed",
    "decode": "pickle gzip zipfile tarfile tomllib yaml csv xml sqlite3 markitdown openpyxl pdfminer",
}
"""Modules that take in bytes, by what they do."""


def names_to_kinds(names_of_kind: dict[str, str]) -> dict[str, str]:
    """Return the kind of each name in a table such as `CALLS`: `{"open": "file", ...}`."""
    kind_of_name: dict[str, str] = {}
    for kind, names in names_of_kind.items():
        for name in names.split():
            kind_of_name[name] = kind
    return kind_of_name


KIND_OF_CALL = names_to_kinds(CALLS)
KIND_OF_MODULE = names_to_kinds(IMPORTS)

AMBIGUOUS_CALLS = ("open", "run", "compile", "load", "walk")
"""Names of methods that take in bytes of some objects, and mean something else for others:
`subprocess.run(words)` is an entry, `session.run(script)` is not."""

OTHER_RECEIVERS = [
    "ast", "re", "re2", "session", "turn", "turns", "walk",
    "self", "solver", "asyncio", "anyio", "box", "client", "program",
]  # fmt: skip
"""Names of variables and modules in the source whose `AMBIGUOUS_CALLS` take in nothing, such as
`re` in `re.compile(pattern)`. A call on any other name counts as an entry."""


def kinds_of(node: ast.AST) -> set[str]:
    """Return what a node takes in, such as `{"file"}` for `path.read_text()`; often nothing."""
    match node:
        case ast.Import():
            return kinds_of_imports([alias.name for alias in node.names])
        case ast.ImportFrom():
            return kinds_of_imports([node.module or ""])
        case ast.Call():
            return kinds_of_call(node)
    return set()


def kinds_of_imports(names: list[str]) -> set[str]:
    """Return what modules of these names take in: `{"socket"}` for `http.client`."""
    kinds: set[str] = set()
    for name in names:
        for module, kind in KIND_OF_MODULE.items():
            if name == module or name.startswith(f"{module}."):
                kinds.add(kind)
    return kinds


def kinds_of_call(call: ast.Call) -> set[str]:
    """Return the kind of a call, as a set of one or none.

    `open(path)` or `path.open()` -> `{"file"}`; `session.run(script)` -> `set()`
    """
    function = call.func
    if isinstance(function, ast.Attribute):
        name = function.attr
        # The first name in front of the method: "session" of `session.turn(4).run(script)`.
        receiver = re.split(r"[.(]", ast.unparse(function.value))[0]
    else:
        name = getattr(function, "id", "")
        receiver = ""
    if name not in KIND_OF_CALL:
        return set()
    if name in AMBIGUOUS_CALLS and receiver in OTHER_RECEIVERS:
        return set()
    return {KIND_OF_CALL[name]}
