"""The modules that scripts may import, what they offer, and what a script reads about others."""

from __future__ import annotations

import ast
import calendar
import csv
import decimal
import difflib
import gc
import importlib
import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

# The modules of the standard library that a script may import, and which names of each.
#
# Names are left out if they reach the machine, or give other values in every run, so that
# a replay would differ.

# Modules whose public names a script may import, except those in `_WITHHELD`.
_WHOLE_MODULES: Final = (
    "__future__ abc base64 binascii bisect calendar cmath collections collections.abc contextlib "
    "copy csv dataclasses datetime decimal difflib enum fnmatch fractions functools graphlib "
    "hashlib heapq html html.entities itertools json json.decoder json.encoder keyword math "
    "math.integer numbers operator pprint random re shlex statistics string struct textwrap typing "
    "unicodedata urllib.parse zoneinfo"
)

# Modules of which a script gets only the listed names, where this version of Python has them. Their
# other names open files, run code, or change the process: `ast.parse`, `io.open`, `sys.modules`.
_PARTS_OF_MODULES: Final = {
    "ast": "literal_eval",
    "configparser": (
        "ConfigParser RawConfigParser BasicInterpolation ExtendedInterpolation Error "
        "NoSectionError NoOptionError DuplicateSectionError DuplicateOptionError ParsingError "
        "MissingSectionHeaderError"
    ),
    "email": "message_from_string message_from_bytes",
    "email.header": "Header decode_header make_header",
    "email.parser": "Parser HeaderParser BytesParser BytesHeaderParser",
    "email.policy": "default compat32 strict",
    "email.utils": (
        "parseaddr getaddresses formataddr parsedate parsedate_tz parsedate_to_datetime mktime_tz "
        "quote unquote"
    ),
    "html.parser": "HTMLParser",
    "quopri": "encodestring decodestring encode decode",
    "tomllib": "loads load TOMLDecodeError",
    "xml.etree.ElementTree": (
        "Element SubElement ElementTree fromstring XML parse tostring iselement ParseError"
    ),
    "io": "StringIO BytesIO SEEK_SET SEEK_CUR SEEK_END UnsupportedOperation Reader Writer",
    "posixpath": (
        "join split splitext basename dirname normpath normcase relpath isabs commonpath "
        "commonprefix sep curdir pardir"
    ),
    "sys": (
        "argv byteorder exc_info exception exit float_info get_int_max_str_digits "
        "getdefaultencoding getrecursionlimit getsizeof hash_info int_info intern maxsize "
        "maxunicode platform set_int_max_str_digits setrecursionlimit stderr stdin stdout version "
        "version_info"
    ),
    "time": (
        "time time_ns sleep monotonic monotonic_ns perf_counter perf_counter_ns process_time "
        "process_time_ns gmtime localtime mktime strftime strptime asctime ctime struct_time "
        "timezone altzone tzname daylight"
    ),
    "traceback": "format_exc print_exc",
    "types": (
        "SimpleNamespace MappingProxyType NoneType NotImplementedType EllipsisType UnionType "
        "GenericAlias FunctionType LambdaType GeneratorType MethodType BuiltinFunctionType "
        "BuiltinMethodType ModuleType TracebackType"
    ),
    "uuid": (
        "UUID uuid1 uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 NIL "
        "MAX SafeUUID"
    ),
}

_FURTHER_NAMES: Final = {
    "calendar": ("January", "February"),
    "enum": ("show_flag_values",),
    "re": ("DEBUG",),
}
"""Public names that a module does not list in its `__all__`,
although scripts can use them: `calendar.January`."""

_WITHHELD: Final = frozenset(
    {
        # They read files, or change settings of the process.
        "available_timezones",
        "chdir",
        "file_digest",
        "reset_tzpath",
        # Only some machines have it.
        "scrypt",
        # They give other values in every run.
        "SystemRandom",
        "kde_random",
        # They make or change classes in a way that the language layer does not see.
        "ABCMeta",
        "EnumMeta",
        "EnumType",
        "global_enum",
        "update_abstractmethods",
    }
)
"""Public names that scripts do not get, whatever module has them."""


def _public_names(module_name: str) -> set[str]:
    """Return the public names of a module; empty if this version of Python lacks the module.

    These are the names in its `__all__`, or else those without an underscore in front.
    """
    try:
        attributes = vars(importlib.import_module(module_name))
    except ModuleNotFoundError:
        return set()

    names = attributes.get("__all__")
    if names is None:
        names = []
        for name, value in attributes.items():
            if not name.startswith("_") and type(value) is not ModuleType:
                names.append(name)
    return {*names, *_FURTHER_NAMES.get(module_name, ())}


def _importable_names() -> dict[str, frozenset[str]]:
    """Return the names that a script may import, by module: `{"tomllib": {"loads", "load", ...}}`.

    A module that this version of Python lacks is left out.
    """
    importable: dict[str, frozenset[str]] = {}
    for module_name in _WHOLE_MODULES.split():
        names = _public_names(module_name)
        if names:
            importable[module_name] = frozenset(names - _WITHHELD)

    for module_name, listed_names in _PARTS_OF_MODULES.items():
        attributes = vars(importlib.import_module(module_name))
        present = [name for name in listed_names.split() if name in attributes]
        importable[module_name] = frozenset(present)

    # A package has its modules as names. For `xml.etree.ElementTree`, `xml.etree` gets
    # the name `ElementTree`, and `xml` gets the name `etree`.
    for module_name in list(importable):
        path = module_name
        while "." in path:
            package, _, member = path.rpartition(".")
            importable[package] = importable.get(package, frozenset()) | {member}
            path = package
    return importable


IMPORTABLE: Final = _importable_names()
"""The names that a script may import, by module."""


# What a model is told about an import that is not possible, or one that is missing.
#
# `import requests` is refused with `module 'requests' cannot be imported; there is no network;
# ...`. A script that uses `Counter` without an import is told which import to write.

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

_THERE_ANYWAY: Final = "it is there without an import: write "
_ONLY_HARNESS: Final = "files are reached through harness: harness.read, harness.list, harness.find, harness.write"
_POSIX_PATHS: Final = "split and join paths with posixpath"

# By what to use instead: the modules that a script tries to import, or their packages
_MODULES_BY_REMEDY: Final = {
    # What scripts have anyway
    f"{_THERE_ANYWAY}harness.NAME(...)": "harness",
    f"{_THERE_ANYWAY}scratchpad[...]": "scratchpad",
    f"{_THERE_ANYWAY}console.log(...)": "console",
    # Files and paths
    f"{_ONLY_HARNESS}; {_POSIX_PATHS}": "os",
    _POSIX_PATHS: "os.path ntpath",
    f"files are reached through harness; {_POSIX_PATHS}": "pathlib",
    "use harness.find(name)": "glob",
    _ONLY_HARNESS: "shutil tempfile fileinput zipfile tarfile gzip bz2 lzma",
    # Programs and databases
    "tools are run with harness.exec(path, args)": "subprocess",
    "query with a tool of the environment: harness.exec(path_of_the_tool, stdin=query)": "sqlite3",
    # Network
    "there is no network; data is reached through harness": (
        "requests urllib.request http socket aiohttp httpx smtplib ssl"
    ),
    # Concurrency
    "every call here is synchronous; use a loop, or map(...)": (
        "asyncio threading multiprocessing concurrent concurrent.futures"
    ),
    "use collections.deque, or heapq for priorities": "queue",
    # Data
    "use csv and collections": "pandas",
    "use math and statistics": "numpy",
    "use json": "pickle shelve marshal copyreg",
    "parse the text with re, str.split, csv or json": "yaml toml",
    "use html.parser": "bs4",
    "use xml.etree.ElementTree": "xml.dom xml.sax lxml xml.dom.minidom",
    "messages are files below a mailbox; else use email": "mailbox",
    # Others
    "use console.log(...)": "logging",
    "use random": "secrets",
}


def _remedy_for_module(module: str) -> str:
    """Return what to use instead of a module; empty if the table has neither it nor its package."""
    for name in (module, module.split(".")[0]):
        for remedy, modules in _MODULES_BY_REMEDY.items():
            if name in modules.split():
                return remedy
    return ""


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


def import_refusal(module: str, name: str | None) -> str:
    """Return why a script cannot import `module`, or `name` from it; empty if it can.

    `import_refusal("os", None)` returns `module 'os' cannot be imported; ...` with what
    to use instead.
    """
    names = IMPORTABLE.get(module)
    if names is None:
        remedy = _remedy_for_module(module)
        if not remedy:
            offered = sorted(name for name in IMPORTABLE if not name.startswith("_"))
            remedy = f"there are {', '.join(offered)}"
        return f"module {module!r} cannot be imported; {remedy}"

    if name is None or name in names or f"{module}.{name}" in IMPORTABLE:
        return ""
    return f"{name!r} cannot be imported from {module!r}{_other_name(name, names)}"


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


def _other_name(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about a name that is not among `names`: what to use instead.

    For `dump` among the names of `json`: `; did you mean 'dumps'?`. Empty if unknown.
    """
    if name in ATTRIBUTES_INSTEAD:
        return f"; {ATTRIBUTES_INSTEAD[name]}"
    similar_names = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {similar_names[0]!r}?" if similar_names else ""


# Modules and `harness` as a script sees them: sealed objects with their listed names alone.


class Live(NamedTuple):
    """A name in a facade whose value belongs to the step, such as `sys.stdout`.

    Modules are made once for all steps, so the value is read anew every time.
    """

    read: Callable[[], Any]
    """Returns the value."""
    write: Callable[[Any], None] | None = None
    """Sets the value; None if a script may not set it."""


class Facade(ModuleType):
    """A module, or `harness`, as a script sees it. Scripts neither make nor change one.

    The function `facade` makes one. It sets the members as attributes, and three fields:

    - `_title`: what `repr` shows
    - `_live`: the members that are `Live`, by name
    - `_message_for_missing`: returns the error's message for a name that does not exist

    A script cannot read the fields, because their names begin with an underscore. The
    methods read them from `vars(self)`: if a field were missing, `self._live` would
    call `__getattr__`, and so itself without end.
    """

    def __getattr__(self, name: str) -> Any:
        live = vars(self)["_live"].get(name)
        if live is not None:
            return live.read()
        message_for_missing = vars(self)["_message_for_missing"]
        raise AttributeError(message_for_missing(name))

    def __setattr__(self, name: str, value: object) -> None:
        live = vars(self)["_live"].get(name)
        if live is None or live.write is None:
            raise self._sealed()
        live.write(value)

    def __delattr__(self, name: str) -> None:
        raise self._sealed()

    def _sealed(self) -> AttributeError:
        return AttributeError(f"{self!r} is sealed")

    def __dir__(self) -> list[str]:
        names = [*vars(self), *vars(self)["_live"]]
        return sorted(name for name in names if name[:1] != "_")

    def __repr__(self) -> str:
        return f"<{vars(self)['_title']}>"


# A script that prints a module's type sees what it would see of any module.
Facade.__name__ = "module"
Facade.__qualname__ = "module"
Facade.__module__ = "builtins"


def facade(
    title: str, members: Mapping[str, Any], message_for_missing: Callable[[str], str]
) -> Facade:
    """Return a new facade with these members, some of which may be `Live`.

    `message_for_missing` returns the error's message for a name that the facade lacks.
    """
    module = Facade(title)
    # `vars` sets attributes past `__setattr__`, which would refuse it.
    attributes = vars(module)
    attributes.clear()

    live_members = {}
    for name, value in members.items():
        if type(value) is Live:
            live_members[name] = value
        else:
            attributes[name] = value

    attributes["_title"] = title
    attributes["_live"] = live_members
    attributes["_message_for_missing"] = message_for_missing
    return module


# The modules of the standard library as a script gets them.
#
# A script never gets a real module, because its attributes lead to other modules
# (`json.codecs.sys`). `build_modules` makes a facade for each: an object with the
# importable names alone (`IMPORTABLE`).

# The step that runs in a process of scripts, and what is restored after it.
#
# The modules and builtins of scripts exist once for all steps of a process. Some of their
# functions, such as `traceback.format_exc`, act for the current step, which they find in
# `STEP`.


class _CurrentStep:
    """The step that runs in this process. Its attributes are set when a step begins.

    Between steps it has no attributes: code of a script that still runs then gets an error.
    """

    describe: Callable[[BaseException], str]
    """Returns the traceback of an exception, with only the lines of the script."""
    call: Callable[[str, list[Any], dict[str, Any]], Any]
    """Makes a call: takes an operation, its positional and its named arguments."""
    answer: Callable[[Any, Any], None]
    """Submits the answer: takes the scratchpad and `verify`."""


STEP: Final = _CurrentStep()

_DIALECTS: Final[dict[str, Any]] = {
    name: csv.get_dialect(name) for name in csv.list_dialects()
}
_MAX_CSV_FIELD: Final = csv.field_size_limit()
_RECURSION_LIMIT: Final = 1_000  # Python's own
DEFAULT_DIGITS: Final = sys.int_info.default_max_str_digits


def forget_step() -> None:
    """Release the objects of a step, and restore what it may have changed in the library."""
    # 1. Release the objects, so that their finalizers run now, within the time of the step.
    vars(STEP).clear()
    sys.stdout = None
    sys.stderr = None
    sys.modules.pop("__main__", None)
    gc.collect()

    # 2. Restore settings that the library lets a script change for the whole process.
    sys.setrecursionlimit(_RECURSION_LIMIT)
    sys.set_int_max_str_digits(DEFAULT_DIGITS)
    decimal.setcontext(decimal.Context())
    calendar.setfirstweekday(calendar.MONDAY)
    csv.field_size_limit(_MAX_CSV_FIELD)
    for name in csv.list_dialects():
        csv.unregister_dialect(name)
    for name, dialect in _DIALECTS.items():
        csv.register_dialect(name, dialect)
    typing.clear_overloads()  # They are functions of the script.


Modules: TypeAlias = dict[str, Any]
"""What a script gets for an import of a module, by the module's name."""

_MODULES_NAMED_LIKE_VALUES: Final = (
    "abc calendar copy datetime email enum html keyword numbers operator random statistics string "
    "struct time types typing uuid xml"
)
_ALSO_VALUES: Final = frozenset(_MODULES_NAMED_LIKE_VALUES.split())
"""Modules whose names scripts also give to values: `email = row["email"]`.

`datetime` may mean the module or its class.
"""


def ready_modules(modules: Modules, source: str) -> Modules:
    """Return the modules that a script has without importing them: all that it may import.

    A variable of an earlier script is gone. If it had the name of a module, `if email == ""` must
    fail, and not compare the module. So such a name is a module only in a script that uses it as
    `email.NAME` alone.
    """
    ready = {name: module for name, module in modules.items() if name.isalnum()}
    # Most scripts have none of these names in their text, and need not be parsed once more for them.
    # (A name in letters of full width means the same as one in ASCII.)
    if source.isascii() and not any(name in source for name in _ALSO_VALUES):
        return ready
    for name in _names_of_values(source) & _ALSO_VALUES:
        ready.pop(name, None)
    return ready


def _names_of_values(source: str) -> set[str]:
    """Return the names that a script reads, except in front of a dot: `x` of `print(x, y.z)`."""
    tree = ast.parse(source)
    before_dot: set[ast.AST] = set()
    names: set[ast.Name] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            before_dot.add(node.value)
        elif isinstance(node, ast.Name):
            names.add(node)
    return {node.id for node in names - before_dot}


def build_modules(replacements: Mapping[str, Mapping[str, Any]]) -> Modules:
    """Return what a script gets for an import of each module, by the module's name.

    `replacements` has what a script gets in place of the library's own objects:
    `{"time": {"sleep": ...}}`.
    """
    modules: Modules = {}
    # `xml.etree.ElementTree` comes before `xml.etree`, which has it as a member.
    deepest_first = sorted(IMPORTABLE, key=lambda name: name.count("."), reverse=True)
    for module_name in deepest_first:
        members = _members(module_name, replacements.get(module_name, {}), modules)
        modules[module_name] = _module_facade(module_name, members)
    return modules


def _members(
    module_name: str, replacements: Mapping[str, Any], modules: Modules
) -> dict[str, Any]:
    """Return the values of a module's listed names, by name.

    A value is a replacement, the facade of a module below this one, or the library's own.
    """
    module = importlib.import_module(module_name)
    members: dict[str, Any] = {}
    for name in sorted(IMPORTABLE[module_name]):
        if name in replacements:
            replacement = replacements[name]
            if type(replacement) is FunctionType:
                # Messages show the name of a function, so it gets the one that scripts know.
                replacement.__name__ = name
                replacement.__qualname__ = name
            members[name] = replacement
        elif f"{module_name}.{name}" in modules:
            members[name] = modules[f"{module_name}.{name}"]
        elif hasattr(module, name):
            members[name] = getattr(module, name)
    return members


def _module_facade(module_name: str, members: Mapping[str, Any]) -> Any:
    """Return a module as a script sees it. For a missing name its error suggests another."""

    def message_for_missing(name: str) -> str:
        # `datetime.now()` means the class with the module's name.
        namesake = getattr(members.get(module_name), name, None)
        if namesake is not None and not name.startswith("_"):
            return (
                f"module {module_name!r} has no attribute {name!r} here; "
                f"write `from {module_name} import {module_name}`"
            )
        remedy = _other_name(name, members)
        return f"module {module_name!r} has no attribute {name!r} here{remedy}"

    return facade(f"module {module_name!r}", members, message_for_missing)
