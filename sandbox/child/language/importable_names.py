"""The modules of the standard library that a script may import, and which names of each.

Names are left out if they reach the machine, or give other values in every run, so that
a replay would differ.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from types import ModuleType
from typing import Final

from controlplane.sandbox.child.language.remedies import (
    ATTRIBUTES_INSTEAD,
    MODULES_INSTEAD,
)

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
"""Public names that scripts do not get."""

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


def _public_names(module_name: str) -> set[str]:
    """Return the public names of a module; empty if this version of Python lacks the module."""
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
    """Return the names that a script may import, by module."""
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


def offered_modules() -> list[str]:
    """Return the importable modules, sorted, without `__future__`."""
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
    A model often expects that an import of its last script still holds.
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
