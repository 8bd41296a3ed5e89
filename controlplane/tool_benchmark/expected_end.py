"""Grades a trial against its expected end: outcome, message, references and changed files.

No model is involved. The faults use the words of the public platform.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.gates.checks.literal_tokens import words_present
from controlplane.sandbox.interface import Plain, is_same
from controlplane.sandbox.interface.outcomes import INTERNAL
from controlplane.tool_benchmark.environments import LocalEnvironment, SubmittedAnswer

# The end that a trial is required to have.


@dataclass(frozen=True, slots=True)
class Expectation:
    """The required end of a trial, against which `faults_of` compares the real one."""

    outcome: str | None = None
    """The only right outcome. None: any but that of a trial that gave up."""

    # The message is either given exactly, or it is in free words that are searched for strings.
    message: str | None = None
    """The only right message; None if it is in free words."""
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must contain."""
    forbidden: tuple[str, ...] = ()
    """Strings that a message in free words must not contain, such as facts to keep secret."""

    # The cited paths. A path that none of these three fields allows is a fault.
    references: frozenset[str] = frozenset()
    """The paths that must be cited."""
    tolerated: frozenset[str] = frozenset()
    """Further paths that may be cited."""
    free: tuple[str, ...] = ()
    """Prefixes of further paths that may be cited, such as `/docs/`."""

    # The changed files.
    changes: Mapping[str, str | None] | None = None
    """The files that must change, with their new texts, or None to delete. No other may change."""
    exact_ends: bool = True
    """True if a missing or extra newline at the end of a changed file is a fault."""


# The first field in which two JSON values differ.

_MAX_VALUE_SHOWN: Final = 120
"""The number of characters of a wrong value that a fault shows."""


def _json_fault(path: str, value: Plain, required: Plain, field: str = "") -> str:
    """Return a text about the first field of a JSON file that is wrong; empty if none is.

    The field is named as deep inside as possible: `limits.daily`. `field` is the path that leads
    to the two values; empty at the top.
    """
    if is_same(value, required):
        return ""
    if isinstance(value, dict) and isinstance(required, dict):
        for name in {**required, **value}:
            inner_field = f"{field}.{name}" if field else name
            fault = _json_fault(path, value.get(name), required.get(name), inner_field)
            if fault:
                return fault
    expected_text = json.dumps(required)[:_MAX_VALUE_SHOWN]
    text = json.dumps(value)[:_MAX_VALUE_SHOWN]
    return (
        f"JSON mismatch in {path!r}: {field or '$'}: "
        f"expected {expected_text} got {text}"
    )


# Faults of the files that a trial has changed: which ones, and their new texts.

_MAX_JSON_RATIO: Final = 10
"""A file is compared as JSON if it is at most this many times longer than the expected
text. A model may write any text, and parsing a huge one would take too long."""


def _listed(paths: Collection[str]) -> str:
    return " ".join(sorted(paths))


def _change_faults(expected: Expectation, end: LocalEnvironment) -> list[str]:
    """Return the faults of the changed files: which files changed, and their new texts."""
    required = expected.changes or {}
    changed = {}
    for path, text in end.changes.items():
        if text != end.first_files.get(path):
            changed[path] = text

    faults = []
    if changed.keys() != required.keys():
        if required:
            faults.append(
                f"expected only file changes [{_listed(required)}], got [{_listed(changed)}]"
            )
        else:
            faults.append("expected no file changes")
    for path in sorted(changed.keys() & required.keys()):
        fault = _content_fault(
            path, changed[path], required[path], exact_ends=expected.exact_ends
        )
        if fault:
            faults.append(fault)
    return faults


def _content_fault(
    path: str, text: str | None, required: str | None, *, exact_ends: bool
) -> str:
    """Return a text about the difference in a file's content; empty if there is none.

    For JSON, it names the first field that differs.
    """
    if text and required:
        if not exact_ends:
            text = text.removesuffix("\n")
            required = required.removesuffix("\n")
        is_comparable = len(text) <= _MAX_JSON_RATIO * len(required)
        if path.endswith(".json") and is_comparable:
            # The model's script wrote the text, so it may not be JSON.
            with suppress(ValueError, RecursionError):
                return _json_fault(path, json.loads(text), json.loads(required))
    if text == required:
        return ""
    return f"file {path} content did not match expected export"


# Faults of the paths that an answer cites: unknown, missing and extra ones.

_RECORDS_FOLDER: Final = "/proc/"
"""The folder of records. Each kind of record has a folder in it, such as `loans/`."""
_ROW_FRAGMENT: Final = "#row="
"""Begins the fragment of a reference to a single row of a table: `/data/fees.csv#row=F-17`."""


def _reference_faults(
    expected: Expectation, answer: SubmittedAnswer, environment: LocalEnvironment
) -> list[str]:
    """Return the faults of the cited paths: unknown, missing and extra ones.

    `environment` is that of the trial at its end. A file that the trial has created may be cited.
    """
    cited = {_cited_file(ref, environment) for ref in answer.refs}
    unknown = {path for path in cited if not environment.knows_file(path)}
    missing = expected.references - cited
    extra = set()
    for path in cited - unknown - expected.references:
        may_be_cited = path in expected.tolerated or path.startswith(expected.free)
        if not may_be_cited:
            extra.add(path)

    faults = [f"answer contains invalid reference {path!r}" for path in sorted(unknown)]
    for family in sorted({_family_of(path) for path in missing | extra}):
        missing_here = sorted(path for path in missing if _family_of(path) == family)
        extra_here = sorted(path for path in extra if _family_of(path) == family)
        # As on the platform, all records of a kind share a line, and any other file has its own.
        if family.startswith(_RECORDS_FOLDER):
            faults.append(
                f'answer refs for family "{family}" mismatch: '
                f"missing [{' '.join(missing_here)}], extra [{' '.join(extra_here)}]"
            )
            continue
        for path in missing_here:
            faults.append(f"answer missing required reference {path!r}")
        for path in extra_here:
            faults.append(f"answer contains invalid reference {path!r}")
    return faults


def _family_of(path: str) -> str:
    """Return the folder by which faults of references are grouped.

    For a record it is the folder of its kind, such as that of loans. For another file
    it is the first folder of the path, such as `/docs`.
    """
    parts = path.split("/")
    if path.startswith(_RECORDS_FOLDER):
        return "/".join(parts[:3])
    return f"/{parts[1]}"


def _cited_file(ref: str, environment: LocalEnvironment) -> str:
    """Return the file that a reference names: `/data/fees.csv` for `/data/fees.csv#row=F-17`.

    Such a fragment is removed only if a cell of the file has the text after `#row=`. Any
    other fragment stays a part of the path, which then names no file.
    """
    path, separator, row_id = ref.partition(_ROW_FRAGMENT)
    if not separator or environment.knows_file(ref):
        return ref
    text = environment.changes.get(path) or environment.first_files.get(path) or ""
    # Tables are separated by tabs, commas or semicolons.
    text_with_tabs = text.replace(",", "\t").replace(";", "\t")
    for line in text_with_tabs.splitlines():
        if row_id in line.split("\t"):
            return path
    return ref


NO_ANSWER: Final = "no answer provided"


def faults_of(expected: Expectation, end: LocalEnvironment) -> tuple[str, ...]:
    """Return one line for each fault of a trial that has ended; an empty tuple without faults."""
    answer = end.submission
    if answer is None:
        return (NO_ANSWER,)
    faults = []
    if expected.outcome is None:
        if answer.outcome == INTERNAL:
            faults.append(f"expected an answer, got {INTERNAL}")
    elif answer.outcome != expected.outcome:
        faults.append(f"expected outcome {expected.outcome}, got {answer.outcome}")
    faults += _reference_faults(expected, answer, end)
    faults += _message_faults(expected, answer)
    faults += _change_faults(expected, end)
    return tuple(faults)


def _message_faults(expected: Expectation, answer: SubmittedAnswer) -> list[str]:
    """Return the faults of the answer's text: not the expected one, or with wrong strings in it."""
    message = answer.message.strip()
    if expected.message is not None:
        if message == expected.message:
            return []
        return [f'Answer should be "{expected.message}"']

    faults = []
    for token in expected.tokens:
        if not holds_token(message, token):
            faults.append(f"Answer should contain {token!r}")
    for token in expected.forbidden:
        if holds_token(message, token):
            faults.append(f"answer gives {token!r} away")
    if not message:
        faults.append("answer is empty")
    return faults


def holds_token(message: str, token: str) -> bool:
    """Return True if the message contains `token` with no letter or digit next to it."""
    return bool(token and words_present([token], message))
