"""All *entries* in the source of the product: where it takes in bytes that others may write.

They are of five groups:

- code: a module that reads files, imports and so on: "gates/rule_set_loading.py: import"
- variables: an environment variable that the product reads: "HOME"
- files: a name of a file that it opens: "controlplane.toml"
- events: a type of lines in a journal, which others may have written: "run_closed"
- options: an option of a command that takes a text: "--model"
"""

import ast
import re
from collections.abc import Iterator
from functools import cache

import click

from controlplane.agent.events import type_of
from controlplane.command_line import COMMANDS, cli
from controlplane.journal import run_events
from tests.support.product_files import PACKAGES, ROOT

# Names of functions, methods and modules that take in bytes, by what they do.
#
# `KIND_OF_CALL["read_text"]` is `file`, and `KIND_OF_MODULE["socket"]` is `socket`.

CALLS = {
    "file": "open read_bytes read_text open_regular byte_stream read_whole iterdir scandir walk glob rglob",
    "process": "Popen run check_output open_process execv execve execvp system posix_spawn",
    "socket": "recv recv_into accept urlopen create_connection create_server open_connection socketpair AsyncClient",
    "import": "import_module exec eval compile __import__ exec_module run_path run_module",
    "decode": "loads load safe_load parse_json parse_toml parse_yaml read_json from_json literal_eval FromString ParseDict unpack",
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


# Code by which a program takes in bytes: which calls and imports do so, and what they take in.
#
# A program may read a file, start a process, connect a socket, import a module or decode a text.
# `kinds_of` tells which of these a node of a syntax tree does:
#
#     path.read_text()     -> {"file"}
#     import http.client   -> {"socket"}
#     session.run(script)  -> set(), although `subprocess.run(words)` starts a process


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
    is_method = isinstance(function, ast.Attribute)
    name = function.attr if is_method else getattr(function, "id", "")
    if name not in KIND_OF_CALL:
        return set()
    if name in AMBIGUOUS_CALLS and is_method:
        # The first name in front of the method: "session" of `session.turn(4).run(script)`.
        receiver = re.split(r"[.(]", ast.unparse(function.value))[0]
        if receiver in OTHER_RECEIVERS:
            return set()
    return {KIND_OF_CALL[name]}


# Finds variables, files and options of commands, by which a user hands the product bytes.
#
# A test lists them all, so that no new one comes in unseen:
#
# os.environ["HOME"]     -> the variable HOME
# folder / "task.toml"   -> the file task.toml
# run --model NAME       -> the option --model, which takes a text

FILE_NAME = re.compile(
    r"\.?[\w-]+\.(toml|jsonl?|zst|gz|md|txt|cfg|ini|ya?ml|lock|key|db|sql)|\.[a-z][\w-]{3,}"
)
"""Matches a text that is the name of a file, such as `controlplane.toml` or `.gitignore`."""

ENDINGS_OF_KEYS = (".path",)
"""Texts that look like the name of a hidden file, but are none. The code f"{tool_key}.path" builds
the key of a table."""

READERS_OF_VARIABLES = ("os.environ", "os.environ.get", "os.environ.pop", "os.getenv")
"""The code in front of the name of a variable that is read: `os.environ` of `os.environ["HOME"]`."""


def variables_of(node: ast.AST) -> set[str]:
    """Return the environment variable that a node reads, as a set of one or none."""
    match node:
        case (
            ast.Subscript(value=reader, slice=ast.Constant(value=str(name)))
            | ast.Call(func=reader, args=[ast.Constant(value=str(name)), *_])
        ) if ast.unparse(reader) in READERS_OF_VARIABLES:
            return {name}
    return set()


def file_names_of(node: ast.AST) -> set[str]:
    """Return the file that a text in the code names, as a set of one or none: "task.toml".

    In a path such as f"{LOGS}/reward.txt", the text behind the braces names `reward.txt`.
    """
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return set()
    name = node.value.removeprefix("/")
    if name in ENDINGS_OF_KEYS or FILE_NAME.fullmatch(name) is None:
        return set()
    return {name}


def options_with_a_text() -> Iterator[str]:
    """Yield the options and arguments of commands that take a text, such as `--model`.

    A text may name a file, an address, a program or a module. A number, a flag or one of some
    fixed choices cannot, so that options with such values are left out.
    """
    harmless_types = (
        click.Choice,
        type(click.INT),
        type(click.FLOAT),
        type(click.BOOL),
    )
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            is_flag = isinstance(parameter, click.Option) and parameter.is_flag
            if not is_flag and not isinstance(parameter.type, harmless_types):
                yield parameter.opts[0]


def sources() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each module of the product."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


@cache
def entries() -> dict[str, frozenset[str]]:
    """Return the entries in the source by their group.

    `{"code": {"gates/__main__.py: file", ...}, "variables": {"HOME", ...}, "options": ...}`
    """
    code: set[str] = set()
    variables: set[str] = set()
    files: set[str] = set()
    for path, source in sources():
        nodes = list(ast.walk(ast.parse(source)))
        # A text that is a statement of its own is a docstring.
        docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            for kind in kinds_of(node):
                code.add(f"{path}: {kind}")
            variables |= variables_of(node)
            # A docstring may tell of a file that the product does not open.
            if node not in docstrings:
                files |= file_names_of(node)
    events = {type_of(event_class) for event_class in run_events.event_classes()}
    return {
        "code": frozenset(code),
        "variables": frozenset(variables),
        "files": frozenset(files),
        "events": frozenset(events),
        "options": frozenset(options_with_a_text()),
    }
