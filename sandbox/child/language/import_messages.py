"""What a model is told about an import that is not possible, or one that is missing.

`import requests` is refused with `module 'requests' cannot be imported; there is no network;
...`. A script that uses `Counter` without an import is told which import to write.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from controlplane.sandbox.child.language.importable_names import IMPORTABLE

# Texts for error messages: what a script can use here instead of what it tried to use.
#
# For example `import requests` fails with "module 'requests' cannot be imported; there is
# no network; data is reached through harness". Models know how to write Python, but not
# what this sandbox lacks.

# By the name of the builtin, or of another name that scripts use without defining it
BUILTINS_INSTEAD: Final = {
    "open": "read files with harness.read(path).content",
    "eval": "parse data with json.loads(...)",
    "exec": "write the code itself into the script",
    "compile": "write the code itself into the script",
    "input": "nobody answers; all that is known is in the instruction and behind harness",
    "globals": "use names directly, and scratchpad for what must survive the step",
    "locals": "use names directly",
    "__file__": "there is no file; paths are those of harness",
    # Some models begin a script with a line `python`, as in a block of Markdown.
    "python": "leave this line out; `code` is Python already",
    "__import__": "use an import statement",
    "__builtins__": "use the builtins by name",
}

_PRINT_THE_ERROR: Final = "print type(error).__name__ and error, or traceback.format_exc() with the script's lines"

# By the name of the attribute
ATTRIBUTES_INSTEAD: Final = {
    "__traceback__": _PRINT_THE_ERROR,
    "tb_lineno": _PRINT_THE_ERROR,
    "tb_frame": _PRINT_THE_ERROR,
    "tb_next": _PRINT_THE_ERROR,
    "__globals__": "use names directly",
}

_NO_NETWORK: Final = "there is no network; data is reached through harness"
_ONE_AFTER_ANOTHER: Final = "every call here is synchronous; use a loop, or map(...)"
_ONLY_HARNESS: Final = "files are reached through harness: harness.read, harness.list, harness.find, harness.write"
_POSIX_PATHS: Final = "split and join paths with posixpath"
_PARSE_TEXT: Final = "parse the text with re, str.split, csv or json"
_ELEMENT_TREE: Final = "use xml.etree.ElementTree"

# By the module that a script tries to import, or by its package
MODULES_INSTEAD: Final = {
    # What scripts have anyway
    "harness": "it is there without an import: write harness.NAME(...)",
    "scratchpad": "it is there without an import: write scratchpad[...]",
    "console": "it is there without an import: write console.log(...)",
    # Files and paths
    "os": f"{_ONLY_HARNESS}; {_POSIX_PATHS}",
    "os.path": _POSIX_PATHS,
    "ntpath": _POSIX_PATHS,
    "pathlib": f"files are reached through harness; {_POSIX_PATHS}",
    "glob": "use harness.find(name)",
    "shutil": _ONLY_HARNESS,
    "tempfile": _ONLY_HARNESS,
    "fileinput": _ONLY_HARNESS,
    "zipfile": _ONLY_HARNESS,
    "tarfile": _ONLY_HARNESS,
    "gzip": _ONLY_HARNESS,
    "bz2": _ONLY_HARNESS,
    "lzma": _ONLY_HARNESS,
    # Programs and databases
    "subprocess": "tools are run with harness.exec(path, args)",
    "sqlite3": "query with a tool of the environment: harness.exec(path_of_the_tool, stdin=query)",
    # Network
    "requests": _NO_NETWORK,
    "urllib.request": _NO_NETWORK,
    "http": _NO_NETWORK,
    "socket": _NO_NETWORK,
    "aiohttp": _NO_NETWORK,
    "httpx": _NO_NETWORK,
    "smtplib": _NO_NETWORK,
    "ssl": _NO_NETWORK,
    # Concurrency
    "asyncio": _ONE_AFTER_ANOTHER,
    "threading": _ONE_AFTER_ANOTHER,
    "multiprocessing": _ONE_AFTER_ANOTHER,
    "concurrent": _ONE_AFTER_ANOTHER,
    "concurrent.futures": _ONE_AFTER_ANOTHER,
    "queue": "use collections.deque, or heapq for priorities",
    # Data
    "pandas": "use csv and collections",
    "numpy": "use math and statistics",
    "pickle": "use json",
    "shelve": "use json",
    "marshal": "use json",
    "copyreg": "use json",
    "yaml": _PARSE_TEXT,
    "toml": _PARSE_TEXT,
    "bs4": "use html.parser",
    "xml.dom": _ELEMENT_TREE,
    "xml.sax": _ELEMENT_TREE,
    "lxml": _ELEMENT_TREE,
    "xml.dom.minidom": _ELEMENT_TREE,
    "mailbox": "messages are files below a mailbox; else use email",
    # Others
    "logging": "use console.log(...)",
    "secrets": "use random",
}

SYNTAX_INSTEAD: Final = {
    "AsyncFunctionDef": "async def is not allowed; every call here is synchronous, use def",
    "Await": "await is not allowed; every call here is synchronous",
}
"""By the class of the syntax node in the module `ast`."""


_HINTED_MODULES: Final = (
    "collections",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "typing",
)
"""Modules for which `import_hint` suggests an import. A script that uses an undefined
name such as `Counter` or `Decimal` almost certainly means the one of these modules."""

NO_PACKAGE: Final = "relative imports are not available; there is only this script"


def offered_modules() -> list[str]:
    """Return the modules that a script may import, sorted, without `__future__`."""
    return sorted(name for name in IMPORTABLE if not name.startswith("_"))


def import_refusal(module: str, name: str | None) -> str:
    """Return why a script cannot import `module`, or `name` from it; empty if it can.

    `import_refusal("os", None)` returns `module 'os' cannot be imported; ...` with what
    to use instead.
    """
    names = IMPORTABLE.get(module)
    if names is None:
        package = module.split(".")[0]
        remedy = MODULES_INSTEAD.get(module) or MODULES_INSTEAD.get(package)
        if not remedy:
            remedy = f"there are {', '.join(offered_modules())}"
        return f"module {module!r} cannot be imported; {remedy}"

    if name is None or name in names or f"{module}.{name}" in IMPORTABLE:
        return ""
    return f"{name!r} cannot be imported from {module!r}{other_name(name, names)}"


def import_hint(name: str) -> str:
    """Return how to import a name that a script uses without importing it; empty if unknown.

    For `Counter`: imports end with their step; write `from collections import Counter` here.
    A model often expects that an import of its last script still holds. (Each step runs one
    script.)
    """
    statements = []
    if name in IMPORTABLE:
        statements.append(f"`import {name}`")
    for module in _HINTED_MODULES:
        if name in IMPORTABLE[module]:
            statements.append(f"`from {module} import {name}`")
            break

    if not statements:
        return ""
    return f"imports end with their step; write {' or '.join(statements)} here"


def other_name(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about a name that is not among `names`: what to use instead.

    For `dump` among the names of `json`: `; did you mean 'dumps'?`. Empty if unknown.
    """
    if name in ATTRIBUTES_INSTEAD:
        return f"; {ATTRIBUTES_INSTEAD[name]}"
    similar_names = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {similar_names[0]!r}?" if similar_names else ""
