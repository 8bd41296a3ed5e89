"""The modules that scripts import: listed names, sealed, leading nowhere."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from sandbox.library.module_facades import import_refusal, names_of, offered
from sandbox.substitutes.library_sealing import Shared

PROMISED = (
    *("json", "re", "math", "datetime", "time", "zoneinfo", "calendar", "decimal"),
    *("fractions", "statistics", "collections", "itertools", "functools", "operator", "string", "textwrap"),
    *("csv", "io", "random", "heapq", "bisect", "dataclasses", "enum", "typing"),
    *("contextlib", "copy", "hashlib", "base64", "urllib.parse", "html", "unicodedata", "uuid"),
    *("pprint", "difflib", "sys"),
)


def test_nothing_within_plain_reach_is_internal_or_shared():
    done = subprocess.run(
        [sys.executable, "-m", "tests.sandbox.reachable_objects"],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("module", PROMISED)
def test_every_promised_module_can_be_imported(module, box):
    assert box.run(f"import {module}\nprint(len(dir({module})) > 0)").output == "True\n"


@pytest.mark.parametrize("module", [each for each in offered() if each not in ("sys", "abc")])
def test_every_listed_name_is_there_and_can_be_imported(module, box):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Some names are on their way out of the library.
        names = sorted(name for name in names_of(module) or () if hasattr(importlib.import_module(module), name))
    script = "\n".join(f"from {module} import {name} as n{index}" for index, name in enumerate(names))
    result = box.run(f"{script}\nprint('all')")
    assert result.output == "all\n", result.error


def test_a_facade_shows_its_names_and_hints_at_near_ones(box):
    code = "import json, math\nprint(dir(json)[:3], json, math.pi > 3)\njson.dump_s"
    result = box.run(code)
    assert result.output == "['JSONDecodeError', 'JSONDecoder', 'JSONEncoder'] <module 'json'> True\n"
    assert "did you mean 'dumps'?" in result.error


@pytest.mark.parametrize(
    ("module", "name", "word"),
    [
        ("os", None, "harness"),
        ("os.path", None, "posixpath"),
        ("requests", None, "no network"),
        ("sqlite3", None, "/bin/sql"),
        ("nowhere", None, "there are abc, ast, base64, binascii"),
        ("itertools", "bunched", "cannot be imported" if sys.version_info < (3, 12) else "did you mean 'batched'?"),
        ("json", "lodes", "did you mean 'loads'?"),
        ("random", "SystemRandom", "cannot be imported"),
        ("enum", "EnumMeta", "issubclass(kind, Enum)"),
    ],
)
def test_a_refused_import_says_what_to_use_instead(module, name, word):
    assert word in import_refusal(module, name)


def test_what_was_set_on_a_shared_object_is_undone():
    def function():
        return 1

    function.kept = "before"
    shared = Shared([function], [])
    function.kept, function.added = "after", 1
    shared.restore()
    assert vars(function) == {"kept": "before"}
