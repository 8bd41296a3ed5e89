"""What stands in the modules that scripts import in place of the real names."""

from __future__ import annotations

import decimal
import hashlib
import html.entities
import keyword
import random
import sys
from collections.abc import Mapping
from typing import Any

from sandbox.library.module_facades import Live
from sandbox.library.pinned_clock import SHARED, Random
from sandbox.library.read_only import ReadOnly
from sandbox.library.script_builtins import AbstractClasses
from sandbox.substitutes import (
    class_making,
    object_copying,
    single_dispatch,
    standard_streams,
    string_formatting,
    type_hints,
)
from sandbox.substitutes import library_functions as functions


def table() -> Mapping[str, Mapping[str, Any]]:
    """Return, by module, what stands in place of the real names."""
    shared = {name: getattr(SHARED, name) for name in dir(random) if not name.startswith("_") and hasattr(SHARED, name)}
    kept = ("byteorder", "float_info", "hash_info", "int_info", "intern", "maxsize", "maxunicode", "version")
    system: dict[str, Any] = {
        name: getattr(sys, name) for name in (*kept, "version_info", "getrecursionlimit", "getdefaultencoding")
    }
    system |= {
        "argv": ("script",),
        "platform": "linux",
        "exit": functions.exit_script,
        "exc_info": functions.exc_info,
        "exception": sys.exception,
        "get_int_max_str_digits": sys.get_int_max_str_digits,
        "set_int_max_str_digits": functions.set_digits,
        "setrecursionlimit": functions.set_recursion_limit,
        "getsizeof": sys.getsizeof,
    }
    return {
        "abc": {"ABCMeta": AbstractClasses, "abstractmethod": class_making.abstractmethod},
        "collections": {"namedtuple": class_making.script_namedtuple},
        "contextlib": {
            "redirect_stdout": standard_streams.redirect_stdout,
            "redirect_stderr": standard_streams.redirect_stderr,
        },
        "copy": {"copy": object_copying.shallow_copy, "deepcopy": object_copying.deep_copy},
        "dataclasses": {
            "dataclass": class_making.dataclass,
            "make_dataclass": class_making.make_dataclass,
            "asdict": object_copying.as_dict,
            "astuple": object_copying.as_tuple,
        },
        "decimal": {
            name: Live(getattr(decimal, name).copy) for name in ("BasicContext", "ExtendedContext", "DefaultContext")
        },
        "functools": {
            "wraps": functions.wraps,
            "update_wrapper": functions.update_wrapper,
            "lru_cache": functions.lru_cache,
            "singledispatch": single_dispatch.singledispatch,
            "singledispatchmethod": single_dispatch.singledispatchmethod,
            "cached_property": class_making.cached_property,
            "total_ordering": class_making.total_ordering,
        },
        "html.entities": {
            name: ReadOnly(getattr(html.entities, name)) for name in ("html5", "name2codepoint", "codepoint2name")
        },
        "keyword": {name: tuple(getattr(keyword, name)) for name in ("kwlist", "softkwlist")},
        "posixpath": {"relpath": functions.relative_path},
        "operator": {"attrgetter": functions.attrgetter, "methodcaller": functions.methodcaller},
        "random": shared | {"Random": Random},
        "hashlib": dict.fromkeys(
            ("algorithms_guaranteed", "algorithms_available"), frozenset(hashlib.algorithms_guaranteed)
        ),
        "string": {"Formatter": string_formatting.Formatter},
        "sys": system | standard_streams.NAMES,
        "traceback": {
            "format_exc": functions.format_exc,
            "print_exc": functions.print_exc,
            "print_exception": functions.print_exception,
        }
        | {
            "format_exception": functions.format_exception,
            "format_exception_only": functions.format_exception_only,
        },
        "typing": dict.fromkeys(("overload", "no_type_check", "final", "override", "disjoint_base"), functions.overload)
        | {name: getattr(type_hints, name) for name in ("get_origin", "get_args", "get_type_hints")},
        "uuid": {
            "uuid4": functions.uuid4,
            "uuid1": functions.uuid1,
            "uuid6": functions.uuid6,
            "uuid7": functions.uuid7,
            "uuid8": functions.uuid8,
        },
    }
