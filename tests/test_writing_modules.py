"""The product changes files of users through one module.

`sandbox/files/disk_files.py` takes care of links, hidden files and earlier versions. Another module
with a call such as `open(path, "w")` would do without this care, so it is found in the source, and
has to be known here.
"""

import ast
import re

from tests.support.source_entries import sources

# Calls in the source that create or change a file.

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
    """Return True if a node of a syntax tree is a call that creates or changes a file.

    The node of `path.write_text("a")` is one, and that of `path.read_text()` is not.
    """
    if not isinstance(node, ast.Call):
        return False
    text = ast.unparse(node)
    if "os.devnull" in text:
        return False
    return opens_for_writing(node) or WRITING_CALL.search(text) is not None


def writes_files(source: str) -> bool:
    """Return True if the source of a module has a call that creates or changes a file."""
    # Most modules have none of the names, and need not be parsed.
    if "open" not in source and WRITING_CALL.search(source) is None:
        return False
    return any(writes_a_file(node) for node in ast.walk(ast.parse(source)))


def test_one_module_writes_files_of_users() -> None:
    writing_modules: set[str] = set()
    for path, source in sources():
        if writes_files(source):
            writing_modules.add(path)

    file_writer = "sandbox/files/disk_files.py"
    programs_of_developers = {
        "benchmarks/ecom/record.py",  # makes the recording of the embedded benchmark
    }
    # Exports of a run go into a file that the user names in the command.
    exports = {
        "controlplane/report/export/tables.py",
    }
    # Nothing in these is a document of the user.
    other_writers = {
        "benchmarks/containers/container_settings.py",  # a temporary file with variables of a task
        "benchmarks/files/tables/table_database.py",  # a table in memory, for DuckDB
        "controlplane/file_changes.py",  # a lock, so that one process writes at a time
        "controlplane/configuration/config_file.py",  # a list of hashes in the product's own folder
        "sandbox/child/walls/kernel.py",  # /proc/self/uid_map, for its namespaces
    }
    assert writing_modules == {
        file_writer,
        *programs_of_developers,
        *exports,
        *other_writers,
    }
