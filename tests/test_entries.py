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
OF = {name: kind for kind, names in CALLS.items() for name in names.split()}
MODULE_OF = {name: kind for kind, names in IMPORTS.items() for name in names.split()}
MODES = re.compile(r"[rwaxbt+]{1,3}")
BARE = "ast re re2 session turn turns walk self solver asyncio anyio box client program"
"""Receivers whose `open`, `run` or `compile` is another."""
FILE_NAME = re.compile(
    r"\.?[\w-]+\.(toml|jsonl?|zst|gz|md|txt|cfg|ini|ya?ml|lock|key|db|sql)|\.[a-z][\w-]{3,}"
)


@cache
def rows() -> list[dict[str, Any]]:
    held: list[dict[str, Any]] = tomllib.loads(
        (ROOT / "tests/entries.toml").read_text()
    )["row"]
    return held


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    paths = [
        path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))
    ]
    return tuple(
        (str(path.relative_to(ROOT)), ast.parse(path.read_text())) for path in paths
    )


def kinds_of(node: ast.AST) -> Iterator[str]:
    """The kinds of entry that a node is: a call by its name, or an import."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
        for name in names:
            yield from (
                kind
                for module, kind in MODULE_OF.items()
                if name == module or name.startswith(f"{module}.")
            )
    elif isinstance(node, ast.Call):
        function = node.func
        name = (
            function.attr
            if isinstance(function, ast.Attribute)
            else getattr(function, "id", "")
        )
        receiver = (
            ast.unparse(function.value).split(".")[0].split("(")[0]
            if isinstance(function, ast.Attribute)
            else ""
        )
        if name in OF and not (
            name in ("open", "run", "compile", "load", "walk")
            and receiver in BARE.split()
        ):
            yield OF[name]


def variables_of(node: ast.AST) -> Iterator[str]:
    text = ast.unparse(node) if isinstance(node, ast.Call | ast.Subscript) else ""
    if found := re.fullmatch(
        r"os\.(?:environ(?:\.get|\.pop)?[\[(]|getenv\()'(\w+)'.*", text
    ):
        yield found[1]


@cache
def found() -> dict[str, frozenset[str]]:
    code, variables, files = set[str](), set[str](), set[str]()
    for path, tree in sources():
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            code |= {f"{path}: {kind}" for kind in kinds_of(node)}
            variables |= {*variables_of(node)}
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in docs
            ):
                files |= {node.value} if FILE_NAME.fullmatch(node.value) else set()
    events = {type_of(kind) for kind in run_events.event_classes()}
    found = {
        "code": code,
        "variables": variables,
        "files": files,
        "events": events,
        "options": {*options()},
    }
    return {kind: frozenset(names) for kind, names in found.items()}


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


@pytest.mark.parametrize("kind", FINDS)
def test_an_entry_without_a_row_and_a_row_without_an_entry_are_told(kind: str) -> None:
    patterns = [pattern for row in rows() for pattern in row.get(kind, ())]
    assert [
        name
        for name in sorted(found()[kind])
        if not any(fnmatchcase(name, pattern) for pattern in patterns)
    ] == []
    assert [
        pattern
        for pattern in patterns
        if not any(fnmatchcase(name, pattern) for name in found()[kind])
    ] == []


def test_every_row_is_whole_and_its_tests_are_there() -> None:
    for row in rows():
        assert row.keys() - {*FINDS} == {*COLUMNS, "tests"}, row["entry"]
        assert [column for column in COLUMNS if not row[column].strip()] == []
        assert [
            test for test in row["tests"] if not (ROOT / "tests" / test).is_file()
        ] == []


WRITES = re.compile(
    r"write_text|write_bytes|mkstemp|NamedTemporaryFile|copyfile|copy2|copytree|O_(?:WRONLY|RDWR|CREAT|APPEND|TRUNC)"
)


def test_one_function_writes_files() -> None:
    """What else writes appends to a journal, streams an export, or is no place on a disk."""
    others = set()
    for path, tree in sources():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            text, name = ast.unparse(call), ast.unparse(call.func).rpartition(".")[2]
            given = (
                [*call.args, *(keyword.value for keyword in call.keywords)]
                if name in ("open", "fdopen")
                else []
            )
            modes = [
                str(argument.value)
                for argument in given
                if isinstance(argument, ast.Constant)
            ]
            is_written = any(
                mode[:1] in ("w", "a", "x") and MODES.fullmatch(mode) for mode in modes
            )
            if "os.devnull" not in text and (is_written or WRITES.search(text)):
                others.add(path)

    assert (
        others
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
