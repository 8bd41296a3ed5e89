"""The modules of the standard library that a script may import, and which names of each.

Names are left out if they reach the machine, or give other values in every run, so that
a replay would differ.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Final

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
