"""Advice for scripts: what to write instead of builtins, attributes, modules and syntax that they do not get."""

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
    "ExceptionGroup": "raise one exception, or keep a list of them",
    "__file__": "there is no file; paths are those of harness",
    "__import__": "use an import statement",
    "__builtins__": "use the builtins by name",
}
"""Builtins that scripts do not get, with what to write instead."""

_SHOWN: Final = "print type(error).__name__ and error, or traceback.format_exc() with the script's lines"

ATTRIBUTES_INSTEAD: Final = {
    **dict.fromkeys(("__traceback__", "tb_lineno", "tb_frame", "tb_next"), _SHOWN),
    **dict.fromkeys(("__code__", "__defaults__", "__kwdefaults__"), "write down what you know of the function"),
    "__origin__": "use typing.get_origin(hint)",
    "__args__": "use typing.get_args(hint)",
    **dict.fromkeys(("EnumMeta", "EnumType"), "ask issubclass(kind, Enum), or derive from Enum"),
    "__globals__": "use names directly",
    "__self__": "keep the object beside its method",
    "__func__": "keep the function beside the method",
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
    "inspect": "work with values, methods and functions",
    "importlib": "use an import statement",
    "builtins": "use the builtins by name",
    "weakref": "hold the object itself",
    "ctypes": "use struct for bytes",
    "timeit": "use time.perf_counter()",
    "argparse": "there are no arguments; write the values into the script",
    "unittest": "use assert",
    "pytest": "use assert",
}
"""Modules that scripts do not get, with what to use instead."""

REFUSED_SYNTAX: Final = {
    "TryStar": "except* is not allowed; use except",
    "AsyncFunctionDef": "async def is not allowed; every call here is synchronous, use def",
    "AsyncFor": "async for is not allowed; use for",
    "AsyncWith": "async with is not allowed; use with",
    "TemplateStr": "template strings are not allowed; use an f-string",
    "Await": "await is not allowed; every call here is synchronous",
}
"""Refused kinds of syntax, by the name of their node, with what to write instead."""
