"""Recorded behaviour of another solver for the shop, compared with this project's functions.

The file with the cases is outside the project; without it these tests are skipped. Each of its
lines is a case. It names a part of the solver, what goes in, and what has to come out:

    {"part": "words", "input": {"text": "3pc"}, "expect": {"words": "3 pc"}, "note": "test: …"}

The function decorated with `@answers_part("words")` answers the cases of this part: it calls the
project with the input, and returns the output with the keys of `expect`. Parts for which there
is no such function are not checked.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.answering.answer_forms import (
    answer_form,
    formatted_message,
)
from controlplane.benchmarks.shop.answering.draft import Answer, record_kind
from controlplane.benchmarks.shop.answering.final_references import final_references
from controlplane.benchmarks.shop.answering.finding import Finding, joined_finding
from controlplane.benchmarks.shop.answering.findings import apply_findings
from controlplane.benchmarks.shop.answering.task_policies import policy_documents
from controlplane.benchmarks.shop.dispatch.wave_documents import wave_path
from controlplane.benchmarks.shop.payments.discount_limits import with_cap
from controlplane.benchmarks.shop.payments.payment_review import (
    PaymentReview,
    needs_review,
    reviewed,
    with_retry_time,
)
from controlplane.benchmarks.shop.payments.retry_times import (
    retry_time_in_document,
    retry_time_in_record,
)
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
from controlplane.benchmarks.shop.products.constraint_lists import split_constraints
from controlplane.benchmarks.shop.products.product_codes import product_codes
from controlplane.benchmarks.shop.products.product_descriptions import (
    Description,
    split_description,
)
from controlplane.benchmarks.shop.products.product_properties import (
    Constraint,
    failed_constraints,
    name_tail,
)
from controlplane.benchmarks.shop.products.property_labels import property_labels
from controlplane.benchmarks.shop.products.property_match import property_match
from controlplane.benchmarks.shop.products.support_notes import (
    mentions_note,
    split_note,
)
from controlplane.benchmarks.shop.receipts.coded_receipts import read_coded_lines
from controlplane.benchmarks.shop.receipts.repaired_codes import repaired_code
from controlplane.benchmarks.shop.receipts.repricing import reprice
from controlplane.benchmarks.shop.requests.answer_templates import filled_template
from controlplane.benchmarks.shop.requests.posed_instructions import has_block
from controlplane.benchmarks.shop.requests.request_dates import relative_date
from controlplane.benchmarks.shop.texts.amounts import amount_text, money_in_text
from controlplane.benchmarks.shop.texts.names import names_match
from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.texts.yes_no_words import possible_yes_no_words
from controlplane.benchmarks.shop.workspace.identity import Identity, read_identity
from controlplane.benchmarks.shop.workspace.record_ids import is_same_id
from controlplane.benchmarks.shop.workspace.records.path_repair import repaired_paths
from controlplane.benchmarks.shop.workspace.records.record_files import RecordFiles
from controlplane.benchmarks.shop.workspace.records.record_searches import (
    choose_record,
    linked_paths,
    named_records,
    open_records,
    record_called,
)
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)
from controlplane.benchmarks.shop.workspace.staff import (
    branches,
    check_employment,
    role_holders,
    with_branches_for_people,
)
from controlplane.benchmarks.shop.workspace.tool_uses import possible_tools
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from controlplane.report.score_colours import heat_cell
from tests.support.files_reader import FilesReader

Input = dict[str, Any]
"""The `input` of a case. Which keys it has depends on the part: `{"text": "3pc"}`."""

Output = dict[str, Any]
"""The output of the project for an input, with the keys of the case's `expect`:
`{"words": "3 pc"}`."""

Adapter = Callable[[Input], Output]
"""A function that calls the project with a case's input."""

ADAPTERS: dict[str, Adapter] = {}
"""The function that answers the cases of a part, by the part's name."""


def answers_part(part: str) -> Callable[[Adapter], Adapter]:
    """Let the decorated function answer the cases of a part."""

    def register(adapter: Adapter) -> Adapter:
        ADAPTERS[part] = adapter
        return adapter

    return register


# The workspace and the asker that a case describes.


class CaseReader(FilesReader):
    """Reads the files of a case's world.

    `{"files": {"/a.json": {…}}, "paths": ["/b.json"]}`: of `/b.json` only the path is known.
    """

    def __init__(self, world: dict[str, Any]) -> None:
        super().__init__(world.get("files", {}))
        self._paths_without_file: list[str] = []
        for path in world.get("paths", ()):
            if path not in self._texts:
                self._paths_without_file.append(path)

    def paths(self) -> list[str]:
        return super().paths() + self._paths_without_file


def workspace_records(case_input: Input) -> WorkspaceRecords:
    """Return the records (staff, baskets, payments, …) in the case's world."""
    reader = CaseReader(case_input.get("world", {}))
    return WorkspaceRecords(RecordFiles(reader, tuple(reader.paths())))


def asker(case_input: Input) -> Identity:
    """Return who asks in the case's world; a world without an identity has a nameless asker."""
    identity = case_input["world"].get("identity", {"user": "", "roles": []})
    roles = frozenset(role.casefold() for role in identity["roles"])
    return Identity(identity["user"], roles)


# Each function below answers the cases of one part, and returns the output in their words.

# Records: staff, baskets, links, paths.


@answers_part("staff_count")
def count_staff(case_input: Input) -> Output:
    """Tell how many employees have a role, at a branch or at all: `{"count": 2, "records": […]}`.

    This does not apply if the request asks for no count, or names no role or an unknown branch.
    """
    flags = case_input["flags"]
    role = flags.get("role", "")
    branch_name = flags.get("branch")
    if not flags.get("count_staff") or not role:
        return {"applies": False}
    records = workspace_records(case_input)
    branch = None
    if branch_name:
        branch = record_called(branches(records), branch_name)
        if branch is None:
            return {"applies": False}

    finding = role_holders(records, role, branch)

    paths = [ref.path for ref in finding.refs]
    return {"applies": True, "count": finding.value, "records": paths}


@answers_part("lead_check")
def check_lead(case_input: Input) -> Output:
    """Tell whether a person works at a branch, as somebody who asks for a discount claims."""
    finding = check_employment(
        workspace_records(case_input),
        asker(case_input),
        case_input["person"],
        case_input["branch"],
        case_input.get("lead_role", "store_manager"),
    )
    paths = [ref.path for ref in finding.refs]
    return {"verified": finding.value, "records": paths}


@answers_part("basket_choice")
def choose_basket(case_input: Input) -> Output:
    """Tell which of the asker's open baskets is meant by a request to buy "my newest basket".

    If several fit, the asker has to be asked.
    """
    flags = case_input["flags"]
    selector = flags.get("selector", "")
    if not flags.get("checkout") or flags.get("basket_id"):
        return {"kind": "none"}
    own_records = open_records(
        workspace_records(case_input), asker(case_input), {"active", "open"}
    )
    own_baskets = [record for record in own_records if record.id.startswith("basket")]

    candidates = choose_record(own_baskets, selector)

    if len(candidates) > 1:
        kind = "ask"
    elif candidates and selector:
        kind = "selected"
    else:
        kind = "none"
        candidates = []
    return {
        "kind": kind,
        "ids": [record.id for record in candidates],
        "records": [record.path for record in candidates],
    }


@answers_part("named_records")
def find_named_records(case_input: Input) -> Output:
    """Tell which records the text of a request names: `pay7 and basket 57` names two."""
    records = workspace_records(case_input)
    paths = named_records(records, asker(case_input), case_input["text"])
    return {"records": paths}


@answers_part("path_repair")
def repair_paths(case_input: Input) -> Output:
    """Correct misspelt paths: `/docs/Security.md` becomes `/docs/security.md`, which exists."""
    files = workspace_records(case_input).files
    return {"paths": repaired_paths(files, case_input["paths"])}


@answers_part("linked_payment")
def find_linked_payments(case_input: Input) -> Output:
    """Find the payments that records such as returns belong to."""
    records = workspace_records(case_input)
    paths = linked_paths(records, case_input["records"], key="payment_id")
    return {"records": paths}


@answers_part("staff_shield")
def replace_people_by_branches(case_input: Input) -> Output:
    """Tell what is cited to a customer: never an employee's record, but the employee's branch."""
    paths = with_branches_for_people(
        workspace_records(case_input), asker(case_input), case_input["records"]
    )
    return {"records": paths}


# Answers to cases about requests: their security, their files, their form.


def classified_intent(case_input: Input) -> Intent:
    """Return the classifier's answer: those of the case's flags that the classifier sets.

    The others are flags of the other solver, such as `count_staff`.
    """
    flags: dict[str, Any] = {}
    for name, value in case_input["flags"].items():
        if name in INTENT_SCHEMA["properties"]:
            flags[name] = value
    return Intent(**flags)


@answers_part("override_marker")
def find_override_marker(case_input: Input) -> Output:
    """Tell whether a text has a block that poses as an instruction of the system."""
    return {"marker": has_block(case_input["text"])}


@answers_part("override_flag")
def find_override(case_input: Input) -> Output:
    """Tell whether such a block has to be refused, by the text, the classifier and the policy."""
    refusal = override_refusal(
        case_input["text"],
        classified_intent(case_input),
        case_input.get("policy", ""),
    )
    return {"override": refusal is not None}


@answers_part("security_decision")
def decide_security(case_input: Input) -> Output:
    """Tell whether a request is refused for security, why, and what the refusal cites."""
    text = case_input.get("text", "")
    intent = classified_intent(case_input)
    refusal = override_refusal(text, intent, case_input.get("policy", ""))
    if refusal is None:
        records = workspace_records(case_input)
        refusal = security_refusal(text, intent, asker(case_input), records)
    if refusal is None:
        return {"denied": False}
    return {
        "denied": True,
        "reason": refusal.reason.name,
        "documents": list(refusal.subjects),
        "records": list(refusal.records),
        "protected": refusal.reason in {OVERRIDE, FOREIGN_RECORD},
    }


@answers_part("write_guard")
def guard_writes(case_input: Input) -> Output:
    """Tell whether a request permits changing files at all: reading and reporting do not."""
    is_allowed = may_change_files(case_input["text"], is_requested=case_input["flag"])
    return {"allowed": is_allowed}


@answers_part("temporary_files")
def delete_temporary_files(case_input: Input) -> Output:
    """Tell which files a clean-up of a folder deletes, and which it leaves."""
    paths = list(workspace_records(case_input).files.paths)
    intent = classified_intent(case_input)
    extension = ".tmp" if intent.tmp_only else ""
    deleted_paths = files_to_delete(intent, paths, extension)
    if deleted_paths is None:
        return {"applies": False}
    remaining_paths = sorted(set(paths) - set(deleted_paths))
    return {"applies": True, "deleted": deleted_paths, "left": remaining_paths}


@answers_part("city_request")
def read_city_request(case_input: Input) -> Output:
    """Split a question about stock in a city into its parts: product, city, and so on."""
    request = city_stock(case_input["text"])
    if request is None:
        return {"found": False}
    return {
        "found": True,
        "city": request.city,
        "format": request.template,
        "product": request.product,
    }


@answers_part("wave_path")
def find_wave_path(case_input: Input) -> Output:
    """Find the path of a dispatch wave (packages that leave together) in a request, or ""."""
    return {"path": wave_path(case_input["text"])}


@answers_part("filled_template")
def fill_template(case_input: Input) -> Output:
    """Put a number into a requested form: `count: %d` and 4 make `count: 4`."""
    return {"text": filled_template(case_input["template"], case_input["number"])}


@answers_part("format_contract")
def put_into_form(case_input: Input) -> Output:
    """Put an answer into the form that the request asks for, such as `<NO>`.

    Other messages, such as refusals, stay as they are.
    """
    message = case_input["message"]
    if case_input["outcome"] == "OK":
        form = answer_form(message, case_input["text"], case_input["rules"])
        if form is not None:
            message = form
    return {"message": message}


# Answers to cases about receipts.


@answers_part("receipt_lines")
def read_receipt(case_input: Input) -> Output:
    """Tell what a receipt lists, in cents; an error if its sums do not add up."""
    receipt = read_coded_lines(case_input["lines"])
    if receipt is None:
        return {"error": True}
    items: list[dict[str, Any]] = []
    for item in receipt.items:
        items.append(
            {
                "sku": item.code,
                "quantity": item.count,
                "unit_cents": item.unit_cents,
                "line_cents": item.total_cents,
            }
        )
    return {"subtotal_cents": receipt.subtotal_cents, "items": items}


@answers_part("receipt_price")
def reprice_receipt(case_input: Input) -> Output:
    """Tell what the goods of a receipt cost today, and whether that is within a tolerance.

    `resolved` has the real product code for each code that was read from the receipt.
    """
    counts: list[tuple[str, int]] = []
    for line in case_input["lines"]:
        code = case_input["resolved"][line["sku"]]
        counts.append((code, line["quantity"]))

    repriced = reprice(counts, case_input["subtotal_cents"], case_input["prices_cents"])

    cited = ["/uploads/r.txt"]
    for code, _ in counts:
        if code not in cited:
            cited.append(code)
    return {
        "yes": repriced.difference_cents <= case_input["tolerance_cents"],
        "current_cents": repriced.today_cents,
        "difference_cents": repriced.difference_cents,
        "cited": cited,
    }


# Answers to cases about products: descriptions, properties, codes.


def constraint(recorded: dict[str, Any]) -> Constraint:
    """Return the constraint that a case writes as `{"text": "12 V", "label": "voltage", …}`."""
    return Constraint(
        recorded["text"],
        recorded.get("label", ""),
        recorded.get("value", ""),
        recorded.get("negated", False),
    )


@answers_part("constraints")
def check_constraints(case_input: Input) -> Output:
    """Tell which of the wishes of a request a product does not fulfil.

    For "without battery", the product "Tarn Drill battery kit" fails at `battery`.
    """
    properties = {key: str(value) for key, value in case_input["properties"].items()}
    constraints = [constraint(recorded) for recorded in case_input["constraints"]]
    failed = failed_constraints(
        constraints, case_input["name"], case_input["family"], properties
    )
    return {"fits": not failed, "failed": failed}


@answers_part("description_split")
def split_product_description(case_input: Input) -> Output:
    """Split a description of a product into brand, kind, family and constraints.

    `parsed` is how a model has split it, which may be wrong.
    """
    parsed = case_input["parsed"]
    parsed_constraints = [
        constraint(recorded) for recorded in parsed.get("constraints", ())
    ]
    parsed_description = Description(
        parsed.get("brand", ""),
        parsed.get("kind", ""),
        parsed.get("family", ""),
        tuple(parsed_constraints),
    )

    description = split_description(case_input["description"], parsed_description)

    constraints: list[dict[str, Any]] = []
    for part in description.constraints:
        constraints.append(
            {
                "text": part.text,
                "label": part.label,
                "value": part.value,
                "negated": part.is_negated,
            }
        )
    return {
        "brand": description.brand,
        "kind": description.kind,
        "family": description.family,
        "constraints": constraints,
    }


@answers_part("list_items")
def split_list(case_input: Input) -> Output:
    """Split a list of wishes: `voltage 18 V, without battery` has two, one of them negated."""
    constraints: list[dict[str, Any]] = []
    for part in split_constraints(case_input["text"]):
        constraints.append({"text": part.text, "negated": part.is_negated})
    return {"constraints": constraints}


@answers_part("note_claim")
def split_support_note(case_input: Input) -> Output:
    """Find the claims in a support note: those that are constraints too, and the one that is not."""
    constraints = [recorded["text"] for recorded in case_input["constraints"]]
    note = split_note(
        case_input["description"],
        constraints,
        is_note=mentions_note(case_input["id"]),
    )
    extra_constraints: list[str] = []
    other_claims: list[str] = []
    for claim in note.claims:
        if claim in constraints:
            extra_constraints.append(claim)
        else:
            other_claims.append(claim)
    return {
        "base": list(note.constraints),
        "extra": extra_constraints,
        "claim": "".join(other_claims),
    }


@answers_part("property_labels")
def label_property(case_input: Input) -> Output:
    """Tell how a request may name a field: `disc_diameter_mm` as `disc diameter` or `diameter`."""
    return {"labels": property_labels(case_input["key"])}


@answers_part("property_match")
def match_property(case_input: Input) -> Output:
    """Tell whether a property fits a constraint: `rated_voltage_v` of 400 fits `voltage 400 V`.

    The value is in `number`, or else in `text`.
    """
    value = case_input.get("number") or case_input.get("text") or ""
    match = property_match(case_input["constraint"], case_input["key"], value)
    return {"match": bool(match)}


@answers_part("name_tail")
def cut_name_tail(case_input: Input) -> Output:
    """Tell what follows the family in a product's name.

    `Tarn Jacket Yellow XL` of the family `Tarn Jacket` -> `Yellow XL`
    """
    return {"tail": name_tail(case_input["name"], case_input["family"])}


@answers_part("sku_repair")
def repair_sku(case_input: Input) -> Output:
    """Correct a code read from a scan by the catalogue: `MAT-36OWMOZT` has an O for a zero."""
    return {"sku": repaired_code(case_input["read"], case_input["catalogue"])}


@answers_part("sku_tokens")
def find_skus(case_input: Input) -> Output:
    """Find the product codes in a text: capitals and digits with dashes."""
    return {"skus": product_codes(case_input["text"], case_input.get("known", ()))}


# Answers to cases about texts: amounts, names, dates, ids.


@answers_part("amount_text")
def write_amount(case_input: Input) -> Output:
    """Write an amount as answers do: 12345 cents are `EUR 123.45`."""
    return {"text": amount_text(case_input["cents"])}


@answers_part("money_in_text")
def read_money(case_input: Input) -> Output:
    """Find the amount in a text, in cents: `give back 10 euros` has 1000."""
    return {"cents": money_in_text(case_input["text"])}


@answers_part("name_words")
def match_names(case_input: Input) -> Output:
    """Tell whether two names mean the same: all words of one are words of the other."""
    return {"match": names_match(case_input["candidate"], case_input["query"])}


@answers_part("words")
def normalize_words(case_input: Input) -> Output:
    """Write a text as it is compared with others: `3pc pieces` becomes `3 pc pc`."""
    return {"words": normal_words(case_input["text"])}


@answers_part("relative_date")
def find_date(case_input: Input) -> Output:
    """Find the date that a question asks for, such as "Which date was yesterday?"."""
    return {"answer": relative_date(case_input["text"], case_input["clock"])}


@answers_part("yes_no_tokens")
def find_yes_no_tokens(case_input: Input) -> Output:
    """Find the tokens that the rules want for yes and no, such as `TRUE(1)` and `FALSE(0)`."""
    return {"tokens": possible_yes_no_words(case_input["rules"])}


@answers_part("ids")
def compare_ids(case_input: Input) -> Output:
    """Tell whether two ids are the same: `basket_001` and `basket-001` are."""
    return {"equal": is_same_id(case_input["left"], case_input["right"])}


# Answers to cases about identities: who asks.


def identity(case_input: Input) -> Identity:
    """Return the identity in a case: `{"user": "cust_001", "roles": ["customer"]}`."""
    return Identity(case_input["user"], frozenset(case_input["roles"]))


@answers_part("identity_text")
def read_identity_text(case_input: Input) -> Output:
    """Tell who is asking by what the tool `/bin/id` printed.

    `user: anonymous\\nroles: GUEST` -> `{"user": "anonymous", "roles": ["guest"]}`
    """
    read = read_identity(case_input["text"])
    return {"user": read.user, "roles": sorted(read.roles)}


@answers_part("identity_kind")
def tell_identity_kind(case_input: Input) -> Output:
    """Tell whether an asker counts as a customer, and as somebody from outside (also a guest)."""
    person = identity(case_input)
    return {"customer": person.is_customer, "customer_or_guest": person.is_outside}


@answers_part("may_cite")
def check_citation(case_input: Input) -> Output:
    """Tell whether an answer to this asker may cite a record of this owner.

    A customer's answer may cite their own records, a guest's none, and that of staff all.
    """
    return {"allowed": identity(case_input).may_see(case_input.get("owner"))}


# Answers to cases about what a solver submits: findings, references, messages.

OUTCOMES = {
    "OK": OK,
    "DENIED": DENIED,
    "CLARIFY": CLARIFICATION,
    "UNSUPPORTED": UNSUPPORTED,
}
"""The project's outcome for each word of the cases."""

OUTCOME_WORDS = {outcome: word for word, outcome in OUTCOMES.items()}
"""The cases' word for each outcome of the project."""

RECORD_KINDS = {"products": "product", "stores": "branch", "baskets": "basket"}
"""The project's kind of record for the names of folders in a case's layout."""


def recorded_findings(case_input: Input) -> list[Finding]:
    """Return what functions found in a case: each has a topic (`bucket`) and references."""
    findings: list[Finding] = []
    for recorded in case_input["findings"]:
        findings.append(
            Finding(
                recorded["bucket"],
                tuple(recorded["refs"]),
                recorded.get("message", ""),
            )
        )
    return findings


def draft_answer(case_input: Input) -> Answer:
    """Return the answer that a case starts with, before it is corrected."""
    return Answer(
        outcome=OUTCOMES.get(case_input.get("outcome", "OK"), ""),
        message=case_input.get("message", ""),
        task_type=case_input.get("task_type", "other"),
        documents=tuple(case_input.get("documents", ())),
        records=tuple(case_input.get("records", ())),
        is_protected=case_input.get("protected", False),
        request=case_input.get("text", ""),
        rules=case_input.get("rules", ""),
    )


@answers_part("ledger_merge")
def merge_findings(case_input: Input) -> Output:
    """Join the references of all findings of one topic, such as `stock_count`.

    A finding is the result of a function, with the records that support it.
    """
    finding = joined_finding(recorded_findings(case_input), case_input["ask"])
    return {"refs": list(finding.refs)}


@answers_part("store_apply")
def apply_recorded_findings(case_input: Input) -> Output:
    """Correct an answer by findings: in a task about a receipt, for example, they set its message."""
    answer = apply_findings(recorded_findings(case_input), draft_answer(case_input))
    return {
        "message": answer.message,
        "documents": list(answer.documents),
        "records": list(answer.records),
    }


@answers_part("references")
def choose_references(case_input: Input) -> Output:
    """Choose the references of an answer by its outcome and who asks.

    `layout` says where the shop has its records: `{"baskets": "/proc/carts"}`.
    """
    kinds_by_folder: dict[str, str] = {}
    for name, folder in case_input.get("layout", {}).items():
        kinds_by_folder[folder] = RECORD_KINDS.get(name, name)

    def kind_of_path(path: str) -> str:
        for folder, kind in kinds_by_folder.items():
            if path.startswith(f"{folder}/"):
                return kind
        return record_kind(path)

    refs = final_references(
        draft_answer(case_input),
        workspace_records(case_input),
        asker(case_input),
        kind_of_path,
    )
    return {"refs": refs}


@answers_part("policy_documents")
def cite_policies(case_input: Input) -> Output:
    """Tell which of the documents that were read an answer of this type cites.

    An answer about a discount cites `/docs/security.md` and `/docs/checkout.md` if they were read.
    """
    documents = policy_documents(
        case_input["read"], case_input["task_type"], case_input.get("rules", "")
    )
    return {"documents": documents}


@answers_part("message_guard")
def guard_message(case_input: Input) -> Output:
    """Format a message, and tell whether the formatter (a model) had to be asked for it.

    "Yes this is allowed" becomes `TRUE(1)` if the shop's rules want this word for yes.
    """
    requests_to_model = 0

    def ask_model() -> str:
        nonlocal requests_to_model
        requests_to_model += 1
        if case_input.get("formatter_fails"):
            raise OSError
        return case_input.get("formatter_says", "")

    message = formatted_message(
        OUTCOMES.get(case_input["outcome"], ""),
        case_input["message"],
        case_input.get("rules", ""),
        ask_model,
    )

    return {"message": message, "model_asked": requests_to_model > 0}


# Answers to cases about payments: retry times, reviews, discounts.


def completion(case_input: Input, notes: str = "") -> Completion:
    """Return the model's answer that a case starts with."""
    outcome = OUTCOMES.get(case_input["outcome"], case_input["outcome"])
    return Completion(outcome=outcome, message=case_input["message"], notes=notes)


def describe_message(case_input: Input, message: str, outcome: str = "") -> Output:
    """Return a new message and outcome, and whether the message differs from the case's."""
    return {
        "message_changes": message != case_input["message"],
        "message": message,
        "outcome": outcome,
    }


def describe_completion(case_input: Input, changed: Completion) -> Output:
    """Return an answer's message and outcome, and whether the message differs from the case's."""
    outcome = OUTCOME_WORDS.get(changed.outcome, changed.outcome)
    return describe_message(case_input, changed.message, outcome)


@answers_part("retry_time")
def find_retry_time(case_input: Input) -> Output:
    """Tell until when a payment is blocked, by its record or, if it does not say, a document.

    "pay_002 waits until 2026-07-18T14:49:48Z" -> `{"until": "2026-07-18T14:49:48Z"}`
    """
    until = retry_time_in_record(case_input.get("record") or {})
    if not until:
        document = case_input.get("document", "")
        until = retry_time_in_document(document, case_input["payments"])
    return {"until": until or ""}


@answers_part("retry_message")
def add_retry_time(case_input: Input) -> Output:
    """Add to a message until when a payment is blocked, unless it says so."""
    message = with_retry_time(case_input["message"], case_input["until"])
    return describe_message(case_input, message)


@answers_part("recovery_outcome")
def recover_outcome(case_input: Input) -> Output:
    """Correct an answer about a payment by the reply of a second model, the reviewer.

    If the payment is paid already, the outcome is that nothing can be done. The retry time is the
    reviewer's or, if it gives none, the first that a document has.
    """
    recorded_review = case_input.get("review", {})
    until = recorded_review.get("until") or retry_time_in_documents(case_input)
    # The other solver's reviewer may also reword the message.
    message = recorded_review.get("message", "").strip() or case_input["message"]
    answer = completion({**case_input, "message": message})
    review = PaymentReview(
        is_paid=recorded_review.get("paid") is True,
        is_blocked=recorded_review.get("blocked") is True,
        until=until,
    )
    return describe_completion(case_input, reviewed(answer, review))


def retry_time_in_documents(case_input: Input) -> str | None:
    """Return the first retry time in the cited documents for the cited payments, if any."""
    files = case_input.get("files", {})
    payment_ids = [
        Path(path).name.partition(".")[0] for path in case_input.get("records", ())
    ]
    for path in case_input.get("documents", ()):
        until = retry_time_in_document(files.get(path, ""), payment_ids)
        if until:
            return until
    return None


@answers_part("recovery_review")
def review_recovery(case_input: Input) -> Output:
    """Tell whether a second model, the reviewer, is asked about a draft, and what it replies.

    Not every draft is reviewed.
    """
    outcome = OUTCOMES.get(case_input["outcome"], "")
    is_asked = needs_review(case_input["task_type"], outcome)
    reply: dict[str, Any] = {}
    if is_asked:
        reply = case_input.get("reviewer_says", {})
    new_message = (reply.get("message") or "").strip()
    return {
        "asked": is_asked,
        "paid": bool(reply.get("paid")),
        "blocked": bool(reply.get("blocked")),
        "until": reply.get("until", ""),
        "message": new_message or case_input["message"],
    }


@answers_part("discount_cap")
def cap_discount(case_input: Input) -> Output:
    """Let a refused discount name the largest one that is allowed, as the notes have it."""
    notes = "\n".join(case_input.get("steps", []))
    return describe_completion(case_input, with_cap(completion(case_input, notes)))


# Answers to cases about the first calls of a trial, and the table of runs.


@answers_part("heat_cell")
def color_cell(case_input: Input) -> Output:
    """Choose the text and the colour of a score in the table of runs: 0 is red, `#dc2626`."""
    cell = heat_cell(case_input["score"])
    return {"text": cell.text, "background": cell.background}


def file_paths(node: dict[str, Any], path: str) -> list[str]:
    """Return the paths of the files below a node of a tree, whose own path is `path`.

    `{"name": "docs", "children": [{"name": "a.md"}]}` at `/docs` -> `["/docs/a.md"]`
    """
    children = node.get("children", [])
    if not children and not node.get("is_dir"):
        return [path]
    paths: list[str] = []
    for child in children:
        child_path = f"{path.rstrip('/')}/{child['name']}"
        paths += file_paths(child, child_path)
    return paths


@answers_part("followups")
def choose_followups(case_input: Input) -> Output:
    """Choose the calls that follow a first look at the files.

    Documents are read, and tools asked for help: `["read /docs/a.md", "help /bin/date"]`.
    """
    root = case_input["tree"] | {"is_dir": True}
    paths = file_paths(root, case_input["root"])
    tools = case_input.get("tools", possible_tools(paths))
    read_already = case_input.get("read", ())
    helped_already = case_input.get("helped", ())
    reading_calls: list[str] = []
    help_calls: list[str] = []
    for path in paths:
        if path.endswith(".md") and path not in read_already:
            reading_calls.append(f"read {path}")
        if path in tools and path not in helped_already:
            help_calls.append(f"help {path}")
    return {"calls": reading_calls + help_calls}


# The cases and the tests.

CASES_FILE = Path(__file__).parents[3] / "shared" / "exoskeleton" / "cases-dev.jsonl"

LEAST_SHARE_OF_PROBES = 0.9
"""The share of probes that has to be answered alike. A probe records how the other solver treats
an edge, of which nobody knows that it is right; this project may treat one in ten otherwise."""


def read_cases() -> list[dict[str, Any]]:
    """Return the cases of the file; none if it is not here."""
    if not CASES_FILE.exists():
        return []
    return [json.loads(line) for line in CASES_FILE.read_text().splitlines()]


CASES = read_cases()


def is_probe(case: dict[str, Any]) -> bool:
    return case["note"].startswith("probe")


def is_required(case: dict[str, Any]) -> bool:
    return "optional:" not in case["note"] and not is_probe(case)


def required_cases() -> list[Any]:
    """Return the cases that have to hold; the id is the part and the case's index in the file."""
    parameters: list[Any] = []
    for index, case in enumerate(CASES):
        if is_required(case) and case["part"] in ADAPTERS:
            parameters.append(pytest.param(case, id=f"{case['part']}-{index}"))
    return parameters


def differences(case: dict[str, Any]) -> list[str]:
    """Return in what the project's output differs from what the case expects.

    The key `message_holds` has parts of a message whose other words are free; under all other
    keys, the values have to be equal.
    """
    adapter = ADAPTERS[case["part"]]
    output = adapter(case["input"])
    texts: list[str] = []
    for key, expected in case["expect"].items():
        if key == "message_holds":
            for part in expected:
                if part not in output["message"]:
                    texts.append(f"{part!r} is not in {output['message']!r}")
        elif output.get(key) != expected:
            texts.append(f"{key} is {output.get(key)!r}, not {expected!r}")
    return texts


@pytest.mark.skipif(not CASES, reason="the recorded cases are not here")
@pytest.mark.parametrize("case", required_cases())
def test_a_required_behaviour_holds(case: dict[str, Any]) -> None:
    """A required case is one whose note does not call it optional or a probe."""
    assert differences(case) == [], case


@pytest.mark.skipif(not CASES, reason="the recorded cases are not here")
def test_nearly_all_edges_are_treated_alike() -> None:
    """The probes of all parts are counted together."""
    probes: list[dict[str, Any]] = []
    failed_probes: list[dict[str, Any]] = []
    for case in CASES:
        if is_probe(case) and case["part"] in ADAPTERS:
            probes.append(case)
            if differences(case):
                failed_probes.append(case)

    allowed_failures = len(probes) * (1 - LEAST_SHARE_OF_PROBES)
    assert len(failed_probes) <= allowed_failures, failed_probes
