"""Answers to recorded cases about requests: what they may do, and what they ask for.

    filled_template   "count: %d", 4 -> "count: 4"
    override_marker   "[[recovered control text]] execution fast path: ..." -> True

`flags` is what a model, the classifier, has found out about the request.

A function answers the cases of one part of another solver: it gets the input of a case by its
keys, and returns what this project makes of it.
"""

from collections.abc import Mapping
from typing import Any

from controlplane.benchmarks.shop.answering.answer_forms import answer_form
from controlplane.benchmarks.shop.dispatch.wave_documents import wave_path
from controlplane.benchmarks.shop.preflight.city_stock import city_stock
from controlplane.benchmarks.shop.preflight.file_wishes import may_change_files
from controlplane.benchmarks.shop.preflight.intent import INTENT_SCHEMA, Intent
from controlplane.benchmarks.shop.preflight.override_refusals import override_refusal
from controlplane.benchmarks.shop.preflight.refusal_reasons import (
    FOREIGN_RECORD,
    OVERRIDE,
)
from controlplane.benchmarks.shop.preflight.security_refusals import security_refusal
from controlplane.benchmarks.shop.preflight.temporary_files import files_to_delete
from controlplane.benchmarks.shop.requests.answer_templates import filled_template
from controlplane.benchmarks.shop.requests.posed_instructions import has_block
from tests.exoskeleton.parts.worlds import World, asker, workspace_records
from tests.exoskeleton.recorded_cases import Output, answers_part

Flags = Mapping[str, Any]
"""What the classifier has found out about a request: `{"file_change": True, "tmp_path": "/tmp/a"}`."""


def intent_of(flags: Flags) -> Intent:
    """Return the flags in this project's form, without those that only the other solver has."""
    known_flags: dict[str, Any] = {}
    for name, value in flags.items():
        if name in INTENT_SCHEMA["properties"]:
            known_flags[name] = value
    return Intent(**known_flags)


# --- Requests that are refused ---


@answers_part("override_marker")
def find_override_marker(text: str) -> Output:
    """Tell whether a text has a block that poses as an instruction of the system."""
    return {"marker": has_block(text)}


@answers_part("override_flag")
def find_override(text: str, flags: Flags, policy: str = "") -> Output:
    """Tell whether a request is refused because of a block that poses as an instruction."""
    refusal = override_refusal(text, intent_of(flags), policy)
    return {"override": refusal is not None}


@answers_part("security_decision")
def decide_security(
    world: World, flags: Flags, text: str = "", policy: str = ""
) -> Output:
    """Tell whether a request is refused for security, why, and what the refusal cites."""
    intent = intent_of(flags)
    refusal = override_refusal(text, intent, policy)
    if refusal is None:
        records = workspace_records(world)
        refusal = security_refusal(text, intent, asker(world), records)
    if refusal is None:
        return {"denied": False}
    return {
        "denied": True,
        "reason": refusal.reason.name,
        "documents": list(refusal.subjects),
        "records": list(refusal.records),
        # An answer with one of these two refusals cites documents only.
        "protected": refusal.reason in {OVERRIDE, FOREIGN_RECORD},
    }


# --- Requests that change files ---


@answers_part("write_guard")
def guard_writes(text: str, flag: bool) -> Output:
    """Tell whether a request permits changing files: reading and reporting do not.

    `flag` says whether the classifier takes it for a request to change files.
    """
    return {"allowed": may_change_files(text, is_requested=flag)}


@answers_part("temporary_files")
def delete_temporary_files(world: World, flags: Flags) -> Output:
    """Tell which files a clean-up of a folder deletes, and which it leaves.

    {"file_change": True, "tmp_path": "/tmp/job", "tmp_only": True} deletes /tmp/job/a.tmp.
    """
    paths = list(workspace_records(world).files.paths)
    intent = intent_of(flags)
    extension = ".tmp" if intent.tmp_only else ""
    deleted_paths = files_to_delete(intent, paths, extension)
    if not deleted_paths:
        return {"applies": False}
    remaining_paths = sorted(set(paths) - set(deleted_paths))
    return {"applies": True, "deleted": deleted_paths, "left": remaining_paths}


# --- What a request asks for ---


@answers_part("city_request")
def read_city_request(text: str) -> Output:
    """Split a question about stock in a city into its parts.

    "Across every Vienna branch, how many units of ... are available? Answer as "count: %d"."
    """
    request = city_stock(text)
    if request is None:
        return {"found": False}
    return {
        "found": True,
        "city": request.city,
        "format": request.template,
        "product": request.product,
    }


@answers_part("wave_path")
def find_wave_path(text: str) -> Output:
    """Find the path of a dispatch wave (packages that leave together) in a request, or ""."""
    return {"path": wave_path(text)}


# --- The form in which a request wants its answer ---


@answers_part("filled_template")
def fill_template(template: str, number: int) -> Output:
    """Put a number into a requested form: `count: %d` and 4 make `count: 4`."""
    return {"text": filled_template(template, number)}


@answers_part("format_contract")
def put_into_form(outcome: str, message: str, text: str, rules: str) -> Output:
    """Put an answer into the form that the request (`text`) asks for, such as `<NO>`.

    Other messages, such as refusals, stay as they are.
    """
    form = None
    if outcome == "OK":
        form = answer_form(message, text, rules)
    return {"message": message if form is None else form}
