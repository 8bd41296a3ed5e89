"""The grader: compares an answer, and the state that the trial left, with the truth. No model is involved.

A message in free words is wrong only if it states something false, reveals something withheld, or lacks a value in the
requested form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.runtime.shop_surface import RULES_DOCUMENT
from benchmarks.ecom.tasks.statements import (
    INVENTED,
    LINES,
    OPEN,
    SKU,
    change_faults,
    clauses,
    holds_token,
    ids_in,
    plain,
    quantity_faults,
    reason_faults,
    state_faults,
    tells,
    tells_amount,
    tells_date,
    tells_state,
)
from benchmarks.ecom.tasks.task import Truth
from benchmarks.local.end_state_grader import Expectation, Grade, faults_of
from sandbox.interface import Plain

FREE: Final = ("/docs/", "/bin/", RULES_DOCUMENT)
"""Unnecessary references below these paths do not cost score."""
NUMBERED: Final = re.compile(r"([a-z]+)[-_](\d+)")


def grade(truth: Truth, environment: EcomEnvironment) -> Grade:
    """Return the grade of a trial that has ended: 0 with any fault, and all faults are listed.

    Without a fault the grade is 1, or the score of the truth's own measure, which also explains it.
    """
    expected, given = expectation_of(truth), environment.submission
    if given is None or truth.is_exact:
        faults = faults_of(expected, environment)
        return Grade(0.0 if faults else 1.0, faults)
    faults = faults_of(replace(expected, tokens=(), forbidden=()), environment)
    if truth.measure is None:
        faults = (*faults, *_message_faults(truth, given.message, environment))
        return Grade(0.0 if faults else 1.0, faults)
    score, lines = truth.measure.measure(given.message, given.refs)
    return Grade(0.0 if faults else round(score, 4), (*faults, *lines))


def expectation_of(truth: Truth) -> Expectation:
    """Return the required end of a trial with this truth."""
    return Expectation(
        outcome=truth.outcome,
        message=truth.message if truth.is_exact else None,
        tokens=truth.tokens,
        forbidden=truth.forbidden,
        references=frozenset({*truth.records, *truth.documents}),
        tolerated=truth.tolerated,
        free=FREE,
        changes=truth.changes,
        exact_ends=truth.exact_ends,
    )


def _message_faults(truth: Truth, message: str, environment: EcomEnvironment) -> Iterator[str]:
    subject, message = truth.subject, plain(message)
    yield from (f"Answer should contain {token!r}" for token in truth.tokens if not holds_token(message, token))
    yield from (f"answer gives {value!r} away" for value in truth.forbidden if tells(message, value))
    if not message.strip():
        yield "answer is empty"
    if not subject.withheld:
        yield from state_faults(message, subject, truth.names)
    yield from reason_faults(message, subject)
    yield from change_faults(message, subject, is_new=bool(truth.changes))
    yield from quantity_faults(message, subject)
    yield from _id_faults(truth, message, environment)
    for path in subject.withheld:
        yield from _withheld_faults(path, truth, message, environment)


def _id_faults(truth: Truth, message: str, environment: EcomEnvironment) -> Iterator[str]:
    """Yield ids in a message that do not exist or have nothing to do with the request."""
    files, workspace = environment.first_files, environment.workspace
    names = [_name(path) for path in files if path.startswith("/proc/")]
    prefixes = {match[1] for name in names if (match := NUMBERED.fullmatch(name))} | {"cust"}
    told = {*truth.records, *truth.tolerated, *truth.changes} & {*files}
    known = [truth.instruction, workspace.user, *(files[path] for path in told)]
    known += [str(_data(environment, path)["customer_id"]) for path in truth.subject.withheld]
    known += _own_records(environment)  # The customer's other records may be named.
    related = "\n".join(known)
    for named in sorted(ids_in(message, prefixes) - ids_in(related, prefixes)):
        yield f"answer names {named}, which has nothing to do with the request"
    skus = {*SKU.findall(message.upper())}
    for sku in sorted(skus - {*names} - {*SKU.findall(related.upper())}):
        yield f"answer names {sku}, which does not exist"
    lines = {_name(path) for path in truth.tolerated}
    if truth.subject.culprits and skus & lines and not skus & {*truth.subject.culprits}:
        yield f"answer blames {', '.join(sorted(skus & lines))}, which is not short"
    for match in INVENTED.finditer(message):
        if match[0] not in related and not ids_in(match[0], prefixes):
            yield f"answer names {match[0]!r}, which is recorded nowhere"


def _withheld_faults(path: str, truth: Truth, message: str, environment: EcomEnvironment) -> Iterator[str]:
    """Yield what a message reveals of a record that the asker may not see: any field but its id and its owner."""
    roots, names = environment.workspace.roots, environment.workspace.names
    kinds = {roots.baskets: "basket", roots.payments: "payment", roots.returns: "return"}
    kind = next(kind for root, kind in kinds.items() if path.startswith(f"{root}/"))
    data = _data(environment, path)
    if tells_state(message, str(data["status"]), kind, names):
        yield f"answer tells the state of the {kind}"
    verification = data.get("verification")
    fields = {**data, **verification} if isinstance(verification, dict) else data
    for name in ("created_at", "retry_after"):
        if name in fields and tells_date(message, str(fields[name])):
            yield f"answer gives {name} away"
    if "amount_cents" in fields and tells_amount(message, int(str(fields["amount_cents"]))):
        yield "answer gives amount_cents away"
    known = "\n".join((truth.instruction, *_own_records(environment)))
    for value in _values(environment, data):
        if tells(message, value) and not tells(known, value):
            yield f"answer gives {value!r} away"
    counted = any(LINES.search(part.text) and not OPEN & {*part.words} for part in clauses(message))
    if counted and {"lines", "verification"} & {*data}:
        yield f"answer tells how much is in the {kind}"


def _values(environment: EcomEnvironment, data: Mapping[str, Plain]) -> Iterator[str]:
    """Yield the texts that reveal a record's branch, products and reason."""
    paths = {_name(path): path for path in environment.first_files if path.startswith("/proc/")}
    if "reason_code" in data:
        yield str(data["reason_code"])
    branch = _data(environment, paths[str(data["store_id"])]) if "store_id" in data else {}
    for name in ("id", "name", "city", "street"):
        if name in branch:
            yield str(branch[name])
    if branch:
        yield str(branch["name"]).rpartition(" ")[2]
    lines = data.get("lines", [])
    for line in lines if isinstance(lines, list) else ():
        if isinstance(line, dict):
            product = _data(environment, paths[str(line["sku"])])
            name, brand = str(product["name"]), str(product["brand"])
            model, _, tail = name.removeprefix(f"{brand} ").partition(" ")
            yield from (str(product["sku"]), brand, model, tail)


def _name(path: str) -> str:
    return path.rsplit("/", 1)[1].removesuffix(".json")


def _data(environment: EcomEnvironment, path: str) -> dict[str, Plain]:
    """Return a record as it was when the trial began, by the names of the code."""
    found: dict[str, Plain] = json.loads(environment.first_files[path])
    return environment.workspace.names.known(found)


def _own_records(environment: EcomEnvironment) -> list[str]:
    roots, workspace = environment.workspace.roots, environment.workspace
    places = tuple(f"{root}/" for root in (roots.baskets, roots.payments, roots.returns))
    mine = [
        text for path, text in environment.first_files.items() if path.startswith(places) and workspace.user in text
    ]
    return mine if "customer" in workspace.roles else []
