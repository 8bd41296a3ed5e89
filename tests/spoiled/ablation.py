"""Switches parts of the rules off, to see what they owe to them: the recomputation, or every word list.

A word list is a pattern, a set, a table or a kind of request, at the top of a module of rules, that spells two words
or more of a language. What spells shapes of ids, paths, numbers and dates, or names of folders and fields, is none. The
words of formats and contracts (gate 8) are a part of their own. An emptied pattern matches nothing; the signs that
make a request by themselves stay.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
import sys
from collections.abc import Collection, Iterator
from functools import _lru_cache_wrapper, cache
from typing import Final

from benchmarks.shop.language.request_kinds import RequestKind

RECOMPUTATION, WORD_LISTS, FORMAT_WORDS = "recomputation", "word-lists", "format-words"
PARTS: Final = (RECOMPUTATION, WORD_LISTS, FORMAT_WORDS)
PACKAGES: Final = (
    "gates.claims",
    "gates.checks",
    "gates.facts",
    "benchmarks.shop.rules",
    "benchmarks.shop.language",
    "benchmarks.shop.computed",
)
FORMATS: Final = "gates.language"
"""The reading of formats and contracts, whose words are a part of their own."""
MODULES: Final = ("gates.language.change_phrases", "gates.types.terms")
NO_WORDS: Final = frozenset(
    (
        *("ACTIONS", "CONFIDENCES", "ORIGINS", "SUBMITTED_KEYS"),
        # the words of the scratchpad's own contract, see DESIGN.md, section 5
        *("_FILE", "_FOLDERS", "_NAMES", "_NAMED", "_NAMED_KINDS", "_FIELDS", "CHECKLISTS", "POLICIES", "_SECURITY"),
        # folders, ids, fields and documents of a shop
        *("_ENDINGS", "_TRUTH_VALUES", "_LOOK_ALIKE", "_JUDGED", "_COMMAND_FORM"),
        # the inflections of stems, and the signs of JSON and of scans
        *("_FIGURES", "_VALUES", "_PLAIN_FORMS", "_OPEN_FORMS"),
        # the kinds of an answer's contract
        *("PERCENT", "_PERCENT", "_PRICE", "_EUROS", "_CONDITIONS", "_CHECKOUT", "_REFUND", "_RESTART"),
        # units of figures, and the names of a shop's tools and fields
    )
)
"""Names of what looks like a word list and spells none."""
_NEVER: Final = re.compile(r"(?!)")
LEAST_WORDS: Final = 2
_ESCAPED: Final = re.compile(r"\\.|\[[^\]]*\]|\(\?[a-zA-Z<=!:]+\)?|`[^`]*`|/\w+")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def word_lists(*, of_formats: bool = False) -> list[str]:
    """Return the names of all word lists of the rules, or of the reading of formats, each with its module."""
    return sorted({f"{module}.{name}" for module, name, _ in _found(of_formats=of_formats)})


def empty_word_lists(names: Collection[str] = (), *, of_formats: bool = False) -> None:
    """Empty them, or those of these names, in this process; they stay so."""
    found = [value for module, name, value in _found(of_formats=of_formats) if not names or f"{module}.{name}" in names]
    emptied = {id(value): _emptied(value) for value in found if not isinstance(value, RequestKind)}
    for value in found:
        if isinstance(value, RequestKind):
            object.__setattr__(value, "pattern", _NEVER)
            object.__setattr__(value, "words", ())
    for module in [each for name, each in sys.modules.items() if name.startswith(("gates.", "benchmarks.shop."))]:
        for name, value in list(vars(module).items()):
            if id(value) in emptied:
                setattr(module, name, emptied[id(value)])
    for cached in caches():
        cached.cache_clear()


@cache
def caches() -> tuple[_lru_cache_wrapper[object], ...]:
    """Return every cache of this process whose results may rest on words. Looking for them takes longer than to judge:
    who forks looks before."""
    found = (each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper))
    return tuple(each for each in found if each is not caches)


def _emptied(value: object) -> object:
    return _NEVER if isinstance(value, re.Pattern) else type(value)()


def _found(*, of_formats: bool) -> Iterator[tuple[str, str, object]]:
    for module in _modules_of_formats() if of_formats else _modules():
        for name, value in vars(importlib.import_module(module)).items():
            is_constant = name.strip("_").isupper() and name not in NO_WORDS
            if is_constant and len(set(words_of(value))) >= LEAST_WORDS:
                yield module, name, value


def _modules() -> Iterator[str]:
    yield from MODULES
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        yield from (each.name for each in pkgutil.walk_packages(path, f"{package}."))


def _modules_of_formats() -> Iterator[str]:
    path = importlib.import_module(FORMATS).__path__
    yield from (each.name for each in pkgutil.walk_packages(path, f"{FORMATS}.") if each.name not in MODULES)


def words_of(value: object) -> Iterator[str]:
    """Yield the words that a pattern, a set, a table or a kind of request spells; none for a plain text."""
    if isinstance(value, re.Pattern):
        yield from _WORD.findall(_ESCAPED.sub(" ", value.pattern))
    elif isinstance(value, RequestKind):
        yield from words_of(value.pattern)
    elif isinstance(value, (frozenset, tuple, dict)):
        for each in value:
            yield from [each] if isinstance(each, str) and _WORD.fullmatch(each) else words_of(each)
