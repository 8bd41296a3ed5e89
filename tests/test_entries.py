"""The file `entries.toml` lists all places where the product takes in bytes that others may write.

A row says who writes the bytes, what they can effect, what bounds them, and which tests show it.
The tests here find such places in the source (calls that open files, start processes, connect,
import or decode; options; environment variables; events of journals; names of files), and fail
if one has no row. Whoever adds an `open()` has to think about who wrote the file.

For example, a call of `import_module` in `gates/rule_set_loading.py` is found as the entry
"gates/rule_set_loading.py: import". A row with this text, or a pattern for it, in its column `code`
must exist.
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

KINDS_OF_ENTRIES = ("code", "options", "variables", "events", "files")
"""The columns of a row with patterns of entries, such as `variables = ["CONTROLPLANE_*"]`."""

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

FILE_NAME = re.compile(
    r"\.?[\w-]+\.(toml|jsonl?|zst|gz|md|txt|cfg|ini|ya?ml|lock|key|db|sql)|\.[a-z][\w-]{3,}"
)
"""Matches a text that is the name of a file, such as `controlplane.toml` or `.gitignore`."""

ENDINGS_OF_KEYS = (".path",)
"""Texts that look like hidden files, but end a key of a table: f"{tool_key}.path"."""

READ_VARIABLE = re.compile(r"os\.(?:environ(?:\.get|\.pop)?[\[(]|getenv\()'(\w+)'.*")
"""Finds the variable that code reads: `HOME` in `os.environ['HOME']` and in `os.getenv('HOME')`."""

# The rows.


@cache
def rows() -> list[dict[str, Any]]:
    """Return the rows of `entries.toml`: `[{"entry": "a journal ...", "code": [...]}, ...]`."""
    table = tomllib.loads((ROOT / "tests/entries.toml").read_text())
    table_rows: list[dict[str, Any]] = table["row"]
    return table_rows


def patterns_of_rows(kind: str) -> list[str]:
    """Return the patterns of all rows for a kind of entries: `["CONTROLPLANE_*", "HOME"]`."""
    patterns: list[str] = []
    for row in rows():
        patterns += row.get(kind, ())
    return patterns


# The entries in the source.


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    """Return the path and the syntax tree of each module of the product."""
    modules: list[tuple[str, ast.Module]] = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            modules.append((name, ast.parse(path.read_text())))
    return tuple(modules)


@cache
def entries() -> dict[str, frozenset[str]]:
    """Return the entries in the source by their kind.

    `{"code": {"gates/__main__.py: file", ...}, "variables": {"HOME", ...}, "options": ...}`
    """
    code: set[str] = set()
    variables: set[str] = set()
    files: set[str] = set()
    for path, tree in sources():
        docstrings = ids_of_docstrings(tree)
        for node in ast.walk(tree):
            for kind in kinds_of(node):
                code.add(f"{path}: {kind}")
            variables |= variables_of(node)
            if id(node) not in docstrings:
                files |= file_names_of(node)
    events = {type_of(event_class) for event_class in run_events.event_classes()}
    return {
        "code": frozenset(code),
        "variables": frozenset(variables),
        "files": frozenset(files),
        "events": frozenset(events),
        "options": frozenset(options_with_a_text()),
    }


def ids_of_docstrings(tree: ast.Module) -> set[int]:
    """Return the ids of the nodes that are statements of their own, as docstrings are."""
    ids: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            ids.add(id(node.value))
    return ids


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


def variables_of(node: ast.AST) -> set[str]:
    """Return the environment variable that a node reads, as a set of one or none."""
    if not isinstance(node, ast.Call | ast.Subscript):
        return set()
    match = READ_VARIABLE.fullmatch(ast.unparse(node))
    return {match[1]} if match else set()


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


# The tests.


@pytest.mark.parametrize("kind", KINDS_OF_ENTRIES)
def test_every_entry_has_a_row(kind: str) -> None:
    """Whoever adds an entry has to describe it in `entries.toml`."""
    patterns = patterns_of_rows(kind)

    entries_without_row: list[str] = []
    for entry in sorted(entries()[kind]):
        if not any(fnmatchcase(entry, pattern) for pattern in patterns):
            entries_without_row.append(entry)

    assert entries_without_row == []


@pytest.mark.parametrize("kind", KINDS_OF_ENTRIES)
def test_every_pattern_of_a_row_fits_an_entry(kind: str) -> None:
    """A pattern without an entry stayed behind when the code went."""
    patterns_without_entry: list[str] = []
    for pattern in patterns_of_rows(kind):
        if not any(fnmatchcase(entry, pattern) for entry in entries()[kind]):
            patterns_without_entry.append(pattern)

    assert patterns_without_entry == []


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["entry"])
def test_a_row_has_all_columns_and_its_tests_exist(row: dict[str, Any]) -> None:
    """The column `tests` has paths below `tests/`."""
    other_columns = row.keys() - set(KINDS_OF_ENTRIES)
    # The columns of a row that are sentences for readers.
    text_columns = ("entry", "writer", "effect", "bound")
    assert other_columns == {*text_columns, "tests"}
    for column in text_columns:
        assert row[column].strip() != "", column
    for test in row["tests"]:
        assert (ROOT / "tests" / test).is_file(), test


# Writing. The product changes files of users through one module, which takes care of links,
# hidden files and earlier versions.

WRITING_CALL = re.compile(
    r"write_text|write_bytes|mkstemp|NamedTemporaryFile|copyfile|copy2|copytree|O_(?:WRONLY|RDWR|CREAT|APPEND|TRUNC)"
)
"""Finds a function or flag that creates or changes a file."""


FILE_MODE = re.compile(r"[rwaxbt+]{1,3}")
"""Matches the mode of `open`, such as `rb`. A mode with w, a or x means that a call writes."""


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


def writes_a_file(node: ast.AST) -> bool:
    """Return True if a node of a syntax tree is a call that creates or changes a file."""
    if not isinstance(node, ast.Call):
        return False
    text = ast.unparse(node)
    if "os.devnull" in text:
        return False
    return opens_for_writing(node) or WRITING_CALL.search(text) is not None


def test_one_module_writes_files_of_users() -> None:
    """The modules with calls that write are known. A new one has to go through `file_writer`, which
    takes care of links, hidden files and earlier versions."""
    writing_modules: set[str] = set()
    for path, tree in sources():
        if any(writes_a_file(node) for node in ast.walk(tree)):
            writing_modules.add(path)

    file_writer = "sandbox/files/disk_files.py"
    programs_of_developers = {
        "gates/values/cldr_tables.py",  # makes the product's table of names of months and units
        "benchmarks/ecom/record.py",  # makes the recording of the embedded benchmark
    }
    # Exports of a run go into a file that the user names in the command.
    exports = {
        "controlplane/report/export/csv_table.py",
        "controlplane/report/export/parquet_table.py",
    }
    # Nothing in these is a document of the user.
    other_writers = {
        "benchmarks/files/tables/raw_file.py",  # a table in memory, for DuckDB
        "controlplane/file_changes/making_changes.py",  # a lock, so that one process writes at a time
        "controlplane/configuration/config_trust.py",  # a list of hashes in the product's own folder
        "sandbox/child/walls/namespaces.py",  # /proc/self/uid_map, for the kernel
    }
    assert writing_modules == {
        file_writer,
        *programs_of_developers,
        *exports,
        *other_writers,
    }
