"""What to write instead of what scripts reach for and do not get."""

from __future__ import annotations

from typing import Final

INSTEAD: Final = {
    "open": "read files with harness.read(path)",
    "eval": "parse data with json.loads(...)",
    "exec": "write the code itself into the script",
    "compile": "write the code itself into the script",
    "input": "nobody answers; all that is known is in the instruction and behind harness",
    "globals": "use names directly, and scratchpad for what must survive the step",
    "locals": "use names directly",
    "breakpoint": "use print(...)",
    "help": "use print(...)",
    "__import__": "use an import statement",
    "__builtins__": "use the builtins by name",
}
"""Builtins that scripts reach for and do not get, with what to write instead."""

MODULES_INSTEAD: Final = {
    "os": "files are reached through harness: harness.read, harness.list, harness.find",
    "os.path": "split paths with str.rsplit('/', 1), join them with '/'.join",
    "pathlib": "files are reached through harness; split paths with str.rsplit('/', 1)",
    "subprocess": "tools are run with harness.exec(path, args)",
    "requests": "there is no network; data is reached through harness",
    "urllib.request": "there is no network; data is reached through harness",
    "http": "there is no network; data is reached through harness",
    "socket": "there is no network; data is reached through harness",
    "sqlite3": "query with the environment's own tool, as harness.exec('/bin/sql', stdin=query)",
    "pandas": "use csv and collections",
    "numpy": "use math and statistics",
    "logging": "use console.log(...)",
    "traceback": "use str(error) and type(error).__name__",
    "asyncio": "every call here is synchronous",
    "threading": "every call here is synchronous",
    "pickle": "use json",
    "glob": "use harness.find(name)",
    "fnmatch": "use harness.find(name) or re",
    "yaml": "parse the text with re or str.split",
    "inspect": "work with values, methods and functions",
    "warnings": "use print(...)",
}
"""Modules that scripts reach for and do not get, with what to use instead."""

REFUSED_SYNTAX: Final = {
    "TryStar": "except* is not allowed; use except",
    "AsyncFunctionDef": "async def is not allowed; every call here is synchronous, use def",
    "AsyncFor": "async for is not allowed; use for",
    "AsyncWith": "async with is not allowed; use with",
    "Await": "await is not allowed; every call here is synchronous",
}
"""Kinds of syntax that no permission lets through, by the name of their node."""
