"""Every place where foreign bytes come in has a row
in `entries.toml`: writer, effect, bound and tests.

Entries are found in the source: calls that open, decode, connect, import or start;
options; variables; events; and names of files that are read without
being named by the user.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import click
import pytest

from controlplane.agent.events import type_of
from controlplane.command_line import COMMANDS, cli
from controlplane.journal import run_events
from tests.support.product_files import PACKAGES, ROOT

COLUMNS = ("entry", "writer", "effect", "bound")
FINDS = ("code", "options", "variables", "events", "files")
CALLS = {
    "file": "open read_bytes read_text open_regular byte_stream read_whole iterdir scandir walk glob rglob",
    "process": "Popen run check_output open_process execv execve execvp system posix_spawn",
    "socket": "recv recv_into accept urlopen create_connection create_server open_connection socketpair AsyncClient",
    "import": "import_module exec eval compile __import__ exec_module run_path run_module",
    "decode": "loads load safe_load parse_json from_json literal_eval FromString ParseDict unpack",
}
IMPORTS = {
    "process": "subprocess multiprocessing",
    "socket": "socket socketserver http urllib.request uvicorn mcp openai httpx2 pyqwest distributed",
    "decode": "pickle gzip zipfile tarfile tomllib yaml csv xml sqlite3 markitdown openpyxl pdfminer",
}
KIND_OF_CALL = {name: kind for kind, names in CALLS.items() for name in names.split()}
KIND_OF_MODULE = {
    name: kind for kind, names in IMPORTS.items() for name in names.split()
}
FILE_MODE = re.compile(r"[rwaxbt+]{1,3}")
"""Matches the mode of `open`, such as `rb`."""
AMBIGUOUS_CALLS = ("open", "run", "compile", "load", "walk")
OTHER_RECEIVERS = [
    "ast", "re", "re2", "session", "turn", "turns", "walk",
    "self", "solver", "asyncio", "anyio", "box", "client", "program",
]  # fmt: skip
"""Names before the dot whose `AMBIGUOUS_CALLS` are others: `re.compile`, `session.run`."""
FILE_NAME = re.compile(
    r"\.?[\w-]+\.(toml|jsonl?|zst|gz|md|txt|cfg|ini|ya?ml|lock|key|db|sql)|\.[a-z][\w-]{3,}"
)
"""Matches a text that is the name of a file, such as `controlplane.toml` or `.gitignore`."""
READ_VARIABLE = re.compile(r"os\.(?:environ(?:\.get|\.pop)?[\[(]|getenv\()'(\w+)'.*")
"""Finds the variable that code reads: `HOME` in `os.environ['HOME']` and in `os.getenv('HOME')`."""


@cache
def rows() -> list[dict[str, Any]]:
    table = tomllib.loads((ROOT / "tests/entries.toml").read_text())
    table_rows: list[dict[str, Any]] = table["row"]
    return table_rows


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    """Return the path and the syntax tree of each module of the product."""
    modules: list[tuple[str, ast.Module]] = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            modules.append((name, ast.parse(path.read_text())))
    return tuple(modules)


def kinds_of(node: ast.AST) -> set[str]:
    """Return the kinds of entry that a node is: a call by its name, or an import."""
    match node:
        case ast.Import():
            return kinds_of_imports([alias.name for alias in node.names])
        case ast.ImportFrom():
            return kinds_of_imports([node.module or ""])
        case ast.Call():
            return kinds_of_call(node)
    return set()


def kinds_of_imports(names: list[str]) -> set[str]:
    kinds: set[str] = set()
    for name in names:
        for module, kind in KIND_OF_MODULE.items():
            if name == module or name.startswith(f"{module}."):
                kinds.add(kind)
    return kinds


def kinds_of_call(call: ast.Call) -> set[str]:
    """Return the kind of a call such as `open(path)` or `path.open()`, as a set of one or none."""
    function = call.func
    if isinstance(function, ast.Attribute):
        name = function.attr
        receiver = re.split(r"[.(]", ast.unparse(function.value))[0]
    else:
        name = getattr(function, "id", "")
        receiver = ""
    if name not in KIND_OF_CALL:
        return set()
    if name in AMBIGUOUS_CALLS and receiver in OTHER_RECEIVERS:
        return set()
    return {KIND_OF_CALL[name]}


def variables_of(node: ast.AST) -> set[str]:
    """Return the environment variable that a node reads, as a set of one or none."""
    if not isinstance(node, ast.Call | ast.Subscript):
        return set()
    match = READ_VARIABLE.fullmatch(ast.unparse(node))
    return {match[1]} if match else set()


def is_file_name(node: ast.AST) -> bool:
    """Return True if a node is a text in the code that names a file."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and FILE_NAME.fullmatch(node.value) is not None
    )


@cache
def entries() -> dict[str, frozenset[str]]:
    """Return the entries in the source by `FINDS`: `{"variables": {"HOME", …}, …}`."""
    code: set[str] = set()
    variables: set[str] = set()
    files: set[str] = set()
    for path, tree in sources():
        # A text that is a statement of its own is a docstring.
        docstrings = {
            id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
        }
        for node in ast.walk(tree):
            code |= {f"{path}: {kind}" for kind in kinds_of(node)}
            variables |= variables_of(node)
            if is_file_name(node) and id(node) not in docstrings:
                files.add(node.value)
    events = {type_of(kind) for kind in run_events.event_classes()}
    return {
        "code": frozenset(code),
        "variables": frozenset(variables),
        "files": frozenset(files),
        "events": frozenset(events),
        "options": frozenset(options()),
    }


def options() -> Iterator[str]:
    """Options and arguments that take a text:
    it may name a file, an address, a program or a module."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        for option in command.params:
            is_plain = isinstance(option, click.Option) and option.is_flag
            kinds = (click.Choice, type(click.INT), type(click.FLOAT), type(click.BOOL))
            if not is_plain and not isinstance(option.type, kinds):
                yield option.opts[0]


def patterns_of_rows(kind: str) -> list[str]:
    """Return the patterns of all rows for one of `FINDS`: `["CONTROLPLANE_*", "HOME"]`."""
    patterns: list[str] = []
    for row in rows():
        patterns += row.get(kind, ())
    return patterns


@pytest.mark.parametrize("kind", FINDS)
def test_every_entry_has_a_row(kind: str) -> None:
    patterns = patterns_of_rows(kind)

    without_row: list[str] = []
    for entry in sorted(entries()[kind]):
        if not any(fnmatchcase(entry, pattern) for pattern in patterns):
            without_row.append(entry)

    assert without_row == []


@pytest.mark.parametrize("kind", FINDS)
def test_every_pattern_of_a_row_has_an_entry(kind: str) -> None:
    without_entry: list[str] = []
    for pattern in patterns_of_rows(kind):
        if not any(fnmatchcase(entry, pattern) for entry in entries()[kind]):
            without_entry.append(pattern)

    assert without_entry == []


def test_every_row_is_whole_and_its_tests_are_there() -> None:
    for row in rows():
        empty_columns = [column for column in COLUMNS if not row[column].strip()]
        missing_tests = [
            test for test in row["tests"] if not (ROOT / "tests" / test).is_file()
        ]

        assert row.keys() - set(FINDS) == {*COLUMNS, "tests"}, row["entry"]
        assert empty_columns == [], row["entry"]
        assert missing_tests == [], row["entry"]


WRITING_CALL = re.compile(
    r"write_text|write_bytes|mkstemp|NamedTemporaryFile|copyfile|copy2|copytree|O_(?:WRONLY|RDWR|CREAT|APPEND|TRUNC)"
)


def opens_for_writing(call: ast.Call) -> bool:
    """Return True for a call such as `open(path, "w")`: it has a mode that starts with w, a or x."""
    name = ast.unparse(call.func).rpartition(".")[2]
    if name not in ("open", "fdopen"):
        return False
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(argument, ast.Constant):
            mode = str(argument.value)
            if FILE_MODE.fullmatch(mode) and mode[0] in "wax":
                return True
    return False


def test_one_function_writes_files() -> None:
    """The listed modules append to a journal, stream an export, or write to no disk."""
    writing_modules: set[str] = set()
    for path, tree in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            text = ast.unparse(node)
            writes = opens_for_writing(node) or WRITING_CALL.search(text)
            if writes and "os.devnull" not in text:
                writing_modules.add(path)

    assert (
        writing_modules
        == {
            "benchmarks/files/tables/raw_file.py",  # a table in memory, for DuckDB
            "gates/values/cldr_tables.py",  # the names that CLDR gives, by whoever makes a version
            "benchmarks/ecom/record.py",  # a recording of the embedded benchmark, by its maker
            "controlplane/report/export/export_tables.py",  # an export, through `open_regular`
            "controlplane/file_changes/making_changes.py",  # a pipe between this process and the one that writes
            "controlplane/configuration/config_trust.py",  # what the user trusts, appended to, through it as well
            "sandbox/child/walls/namespaces.py",  # the process's own name spaces
            "sandbox/files/disk_files.py",
        }
    )
