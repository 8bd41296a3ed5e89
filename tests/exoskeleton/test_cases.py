"""The recorded behaviours of a second solver, answered by functions.

They are read from outside the project.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.answer_forms import answer_form, formatted_message
from controlplane.benchmarks.shop.answering.draft import Answer, record_kind
from controlplane.benchmarks.shop.answering.final_references import final_references
from controlplane.benchmarks.shop.answering.findings import (
    Finding,
    apply_findings,
    joined_finding,
)
from controlplane.benchmarks.shop.answering.task_policies import policy_documents
from controlplane.benchmarks.shop.dispatch import wave_path
from controlplane.benchmarks.shop.payment_review import (
    PaymentReview,
    needs_review,
    retry_time_in_document,
    retry_time_in_record,
    reviewed,
    with_cap,
    with_retry_time,
)
from controlplane.benchmarks.shop.preflight.direct_answers import (
    city_stock,
    files_to_delete,
)
from controlplane.benchmarks.shop.preflight.intent import INTENT_SCHEMA, Intent
from controlplane.benchmarks.shop.preflight.permissions import may_change_files
from controlplane.benchmarks.shop.preflight.refusals import (
    FOREIGN_RECORD,
    OVERRIDE,
    override_refusal,
    security_refusal,
)
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
    property_labels,
    property_match,
)
from controlplane.benchmarks.shop.products.receipts import (
    read_coded_lines,
    repaired_code,
    reprice,
)
from controlplane.benchmarks.shop.products.support_notes import (
    mentions_note,
    split_note,
)
from controlplane.benchmarks.shop.requests.answer_templates import filled_template
from controlplane.benchmarks.shop.requests.posed_instructions import has_block
from controlplane.benchmarks.shop.requests.request_dates import relative_date
from controlplane.benchmarks.shop.texts.amounts import amount_text, money_in_text
from controlplane.benchmarks.shop.texts.text import names_match, normal_words
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
from controlplane.report.task_map import heat_cell
from tests.support.files_reader import FilesReader


class CaseReader(FilesReader):
    def __init__(self, world: dict) -> None:
        super().__init__(world.get("files", {}))
        self._bare = [
            path for path in world.get("paths", ()) if path not in self._files
        ]

    def paths(self) -> list[str]:
        return super().paths() + self._bare


def records_of(given: dict) -> WorkspaceRecords:
    reader = CaseReader(given.get("world", {}))
    return WorkspaceRecords(RecordFiles(reader, tuple(reader.paths())))


def asker_of(given: dict) -> Identity:
    who = given["world"].get("identity", {"user": "", "roles": []})
    return Identity(who["user"], frozenset(role.casefold() for role in who["roles"]))


def paths_of(finding) -> list:
    return [ref.path for ref in finding.refs]


def staff_count(given: dict) -> dict:
    flags = given["flags"]
    if not flags.get("count_staff"):
        return {"applies": False}
    records, role = records_of(given), flags.get("role", "")
    place = (
        record_called(branches(records), flags["branch"])
        if flags.get("branch")
        else None
    )
    if not role or (flags.get("branch") and place is None):
        return {"applies": False}
    found = role_holders(records, role, place)
    return {"applies": True, "count": found.value, "records": paths_of(found)}


def lead_check(given: dict) -> dict:
    role = given.get("lead_role", "store_manager")
    found = check_employment(
        records_of(given), asker_of(given), given["person"], given["branch"], role
    )
    return {"verified": found.value, "records": paths_of(found)}


def basket_choice(given: dict) -> dict:
    flags = given["flags"]
    if not flags.get("checkout") or flags.get("basket_id"):
        return {"kind": "none"}
    own = open_records(records_of(given), asker_of(given), {"active", "open"})
    found = choose_record(
        [record for record in own if record.id.startswith("basket")],
        flags.get("selector", ""),
    )
    kind = (
        "ask"
        if len(found) > 1
        else "selected"
        if found and flags.get("selector")
        else "none"
    )
    meant = found if kind != "none" else []
    return {
        "kind": kind,
        "ids": [record.id for record in meant],
        "records": [record.path for record in meant],
    }


PARTS = {
    "lead_check": lead_check,
    "basket_choice": basket_choice,
    "staff_count": staff_count,
    "named_records": lambda given: {
        "records": named_records(records_of(given), asker_of(given), given["text"])
    },
    "path_repair": lambda given: {
        "paths": repaired_paths(records_of(given).files, given["paths"])
    },
    "linked_payment": lambda given: {
        "records": linked_paths(records_of(given), given["records"], key="payment_id")
    },
    "staff_shield": lambda given: {
        "records": with_branches_for_people(
            records_of(given), asker_of(given), given["records"]
        )
    },
}


def intent_of(given: dict) -> Intent:
    """Return the classifier's answer; a model counts
    staff by a function, without the classifier."""
    return Intent(
        **{
            name: said
            for name, said in given["flags"].items()
            if name in INTENT_SCHEMA["properties"]
        }
    )


def security_decision(given: dict) -> dict:
    text, intent, policy = (
        given.get("text", ""),
        intent_of(given),
        given.get("policy", ""),
    )
    found = override_refusal(text, intent, policy)
    found = found or security_refusal(text, intent, asker_of(given), records_of(given))
    if found is None:
        return {"denied": False}
    return {
        "denied": True,
        "reason": found.reason.name,
        "documents": list(found.subjects),
        "records": list(found.records),
        "protected": found.reason in {OVERRIDE, FOREIGN_RECORD},
    }


def temporary_files(given: dict) -> dict:
    paths = list(records_of(given).files.paths)
    found = files_to_delete(intent_of(given), paths)
    if found is None:
        return {"applies": False}
    return {"applies": True, "deleted": found, "left": sorted(set(paths) - set(found))}


def receipt_lines(given: dict) -> dict:
    found = read_coded_lines(given["lines"])
    if found is None:
        return {"error": True}
    items = [
        {
            "sku": item.code,
            "quantity": item.count,
            "unit_cents": item.unit_cents,
            "line_cents": item.total_cents,
        }
        for item in found.items
    ]
    return {"subtotal_cents": found.subtotal_cents, "items": items}


def receipt_price(given: dict) -> dict:
    counts = [
        (given["resolved"][line["sku"]], line["quantity"]) for line in given["lines"]
    ]
    repriced = reprice(counts, given["subtotal_cents"], given["prices_cents"])
    return {
        "yes": repriced.difference_cents <= given["tolerance_cents"],
        "current_cents": repriced.today_cents,
        "difference_cents": repriced.difference_cents,
        "cited": list(dict.fromkeys(["/uploads/r.txt", *(code for code, _ in counts)])),
    }


def city_request(given: dict) -> dict:
    found = city_stock(given["text"])
    if found is None:
        return {"found": False}
    return {
        "found": True,
        "city": found.city,
        "format": found.template,
        "product": found.product,
    }


PARTS |= {
    "receipt_lines": receipt_lines,
    "receipt_price": receipt_price,
    "city_request": city_request,
    "wave_path": lambda given: {"path": wave_path(given["text"])},
    "filled_template": lambda given: {
        "text": filled_template(given["template"], given["number"])
    },
    "format_contract": lambda given: {
        "message": answer_form(given["message"], given["text"], given["rules"])
        if given["outcome"] == "OK"
        else given["message"]
    },
    "override_marker": lambda given: {"marker": has_block(given["text"])},
    "override_flag": lambda given: {
        "override": override_refusal(
            given["text"], intent_of(given), given.get("policy", "")
        )
        is not None
    },
    "security_decision": security_decision,
    "write_guard": lambda given: {
        "allowed": may_change_files(given["text"], is_requested=given["flag"])
    },
    "temporary_files": temporary_files,
}


def constraint_of(given: dict) -> Constraint:
    return Constraint(
        given["text"],
        given.get("label", ""),
        given.get("value", ""),
        given.get("negated", False),
    )


def constraints(given: dict) -> dict:
    properties = {key: str(value) for key, value in given["properties"].items()}
    asked = [constraint_of(constraint) for constraint in given["constraints"]]
    failed = failed_constraints(asked, given["name"], given["family"], properties)
    return {"fits": not failed, "failed": failed}


def description_split(given: dict) -> dict:
    parsed = given["parsed"]
    found = split_description(
        given["description"],
        Description(
            parsed.get("brand", ""),
            parsed.get("kind", ""),
            parsed.get("family", ""),
            tuple(constraint_of(said) for said in parsed.get("constraints", ())),
        ),
    )
    return {
        "brand": found.brand,
        "kind": found.kind,
        "family": found.family,
        "constraints": [
            {
                "text": cut.text,
                "label": cut.label,
                "value": cut.value,
                "negated": cut.is_negated,
            }
            for cut in found.constraints
        ],
    }


def claim_of(given: dict) -> dict:
    constraints = [said["text"] for said in given["constraints"]]
    is_note = mentions_note(given["id"])
    found = split_note(given["description"], constraints, is_note=is_note)
    return {
        "base": list(found.constraints),
        "extra": [claim for claim in found.claims if claim in constraints],
        "claim": "".join(claim for claim in found.claims if claim not in constraints),
    }


PARTS |= {
    "property_labels": lambda given: {"labels": property_labels(given["key"])},
    "property_match": lambda given: {
        "match": bool(
            property_match(
                given["constraint"],
                given["key"],
                given.get("number") or given.get("text") or "",
            )
        )
    },
    "constraints": constraints,
    "name_tail": lambda given: {"tail": name_tail(given["name"], given["family"])},
    "description_split": description_split,
    "list_items": lambda given: {
        "constraints": [
            {"text": cut.text, "negated": cut.is_negated}
            for cut in split_constraints(given["text"])
        ]
    },
    "note_claim": claim_of,
    "sku_repair": lambda given: {
        "sku": repaired_code(given["read"], given["catalogue"])
    },
    "sku_tokens": lambda given: {
        "skus": product_codes(given["text"], given.get("known", ()))
    },
}


def identity_of(given: dict) -> Identity:
    return Identity(given["user"], frozenset(given["roles"]))


def identity_text(given: dict) -> dict:
    found = read_identity(given["text"])
    return {"user": found.user, "roles": sorted(found.roles)}


PARTS |= {
    "amount_text": lambda given: {"text": amount_text(given["cents"])},
    "money_in_text": lambda given: {"cents": money_in_text(given["text"])},
    "name_words": lambda given: {
        "match": names_match(given["candidate"], given["query"])
    },
    "words": lambda given: {"words": normal_words(given["text"])},
    "relative_date": lambda given: {
        "answer": relative_date(given["text"], given["clock"])
    },
    "yes_no_tokens": lambda given: {"tokens": possible_yes_no_words(given["rules"])},
    "ids": lambda given: {"equal": is_same_id(given["left"], given["right"])},
    "identity_text": identity_text,
    "identity_kind": lambda given: {
        "customer": identity_of(given).is_customer,
        "customer_or_guest": identity_of(given).is_outside,
    },
    "may_cite": lambda given: {
        "allowed": identity_of(given).may_see(given.get("owner"))
    },
}


OUTCOMES = {
    "OK": OK,
    "DENIED": DENIED,
    "CLARIFY": CLARIFICATION,
    "UNSUPPORTED": UNSUPPORTED,
}
SHORT = {outcome: short for short, outcome in OUTCOMES.items()}
KINDS = {"products": "product", "stores": "branch", "baskets": "basket"}


def findings_of(given: dict) -> list[Finding]:
    return [
        Finding(finding["bucket"], tuple(finding["refs"]), finding.get("message", ""))
        for finding in given["findings"]
    ]


def answer_of(given: dict) -> Answer:
    return Answer(
        OUTCOMES.get(given.get("outcome", "OK"), ""),
        given.get("message", ""),
        given.get("task_type", "other"),
        tuple(given.get("documents", ())),
        tuple(given.get("records", ())),
        given.get("protected", False),
        given.get("text", ""),
        given.get("rules", ""),
    )


def store_apply(given: dict) -> dict:
    found = apply_findings(findings_of(given), answer_of(given))
    return {
        "message": found.message,
        "documents": list(found.documents),
        "records": list(found.records),
    }


def references(given: dict) -> dict:
    layout = {
        folder: KINDS.get(name, name)
        for name, folder in given.get("layout", {}).items()
    }

    def kind_of(path: str) -> str:
        return next(
            (kind for folder, kind in layout.items() if path.startswith(f"{folder}/")),
            record_kind(path),
        )

    return {
        "refs": final_references(
            answer_of(given), records_of(given), asker_of(given), kind_of
        )
    }


def message_guard(given: dict) -> dict:
    asked = []

    def ask() -> str:
        asked.append(True)
        if given.get("formatter_fails"):
            raise OSError
        return given.get("formatter_says", "")

    message = formatted_message(
        OUTCOMES.get(given["outcome"], ""),
        given["message"],
        given.get("rules", ""),
        ask,
    )
    return {"message": message, "model_asked": bool(asked)}


def told(given: dict, outcome: str, message: str) -> dict:
    return {
        "message_changes": message != given["message"],
        "message": message,
        "outcome": outcome,
    }


def completion_of(given: dict, **more: str) -> Completion:
    outcome = OUTCOMES.get(given["outcome"], given["outcome"])
    return Completion(outcome=outcome, message=given["message"], **more)


def told_of(given: dict, answer: Completion) -> dict:
    return told(given, SHORT.get(answer.outcome, answer.outcome), answer.message)


def recovery_outcome(given: dict) -> dict:
    files = given.get("files", {})
    ids = [
        path.rpartition("/")[2].partition(".")[0] for path in given.get("records", ())
    ]
    untils = [
        retry_time_in_document(files.get(path, ""), ids)
        for path in given.get("documents", ())
    ]
    says = given.get("review", {})
    review = PaymentReview(
        is_paid=says.get("paid") is True,
        is_blocked=says.get("blocked") is True,
        until=says.get("until") or next(filter(None, untils), ""),
        message=says.get("message", ""),
    )
    return told_of(given, reviewed(completion_of(given), review))


def recovery_review(given: dict) -> dict:
    asked = needs_review(given["task_type"], OUTCOMES.get(given["outcome"], ""))
    says = given.get("reviewer_says", {}) if asked else {}
    return {
        "asked": asked,
        "paid": bool(says.get("paid")),
        "blocked": bool(says.get("blocked")),
        "until": says.get("until", ""),
        "message": (says.get("message") or "").strip() or given["message"],
    }


def discount_cap(given: dict) -> dict:
    return told_of(
        given, with_cap(completion_of(given, notes="\n".join(given.get("steps", []))))
    )


PARTS |= {
    "ledger_merge": lambda given: {
        "refs": list(joined_finding(findings_of(given), given["ask"]).refs)
    },
    "store_apply": store_apply,
    "references": references,
    "policy_documents": lambda given: {
        "documents": policy_documents(
            given["read"], given["task_type"], given.get("rules", "")
        )
    },
    "message_guard": message_guard,
    "retry_time": lambda given: {
        "until": retry_time_in_record(given.get("record") or {})
        or retry_time_in_document(given.get("document", ""), given["payments"])
    },
    "retry_message": lambda given: told(
        given, "", with_retry_time(given["message"], given["until"])
    ),
    "recovery_outcome": recovery_outcome,
    "recovery_review": recovery_review,
    "discount_cap": discount_cap,
}


def heat(given: dict[str, Any]) -> dict[str, Any]:
    cell = heat_cell(given["score"])
    return {"text": cell.text, "background": cell.background}


def files_of(node: dict[str, Any], path: str) -> list[str]:
    children = node.get("children", [])
    if not children and not node.get("is_dir"):
        return [path]
    return [
        file
        for child in children
        for file in files_of(child, f"{path.rstrip('/')}/{child['name']}")
    ]


def followups(given: dict[str, Any]) -> dict[str, Any]:
    files = files_of(given["tree"] | {"is_dir": True}, given["root"])
    reads = [
        path
        for path in files
        if path.endswith(".md") and path not in given.get("read", ())
    ]
    tools = [
        path for path in files if path in given.get("tools", possible_tools(files))
    ]
    helps = [path for path in tools if path not in given.get("helped", ())]
    return {
        "calls": [
            *(f"read {path}" for path in reads),
            *(f"help {path}" for path in helps),
        ]
    }


PARTS |= {"followups": followups, "heat_cell": heat}


FILE = Path(__file__).parents[3] / "shared" / "exoskeleton" / "cases-dev.jsonl"
CASES = (
    [json.loads(line) for line in FILE.read_text().splitlines()]
    if FILE.exists()
    else []
)
DEMANDED = [
    case
    for case in CASES
    if "optional:" not in case["note"] and not case["note"].startswith("probe")
]
LEAST_PROBES = 0.9


def holds(case: dict) -> bool:
    given = PARTS[case["part"]](case["input"])
    wanted = dict(case["expect"])
    # Own wording is judged by what it has to hold.
    held = all(part in given["message"] for part in wanted.pop("message_holds", ()))
    return held and all(given.get(key) == value for key, value in wanted.items())


def numbered(cases: list) -> list:
    return [
        pytest.param(case, id=f"{case['part']}-{CASES.index(case)}")
        for case in cases
        if case["part"] in PARTS
    ]


@pytest.mark.skipif(not CASES, reason="the recorded cases are not here")
@pytest.mark.parametrize("case", numbered(DEMANDED))
def test_a_demanded_behaviour_holds(case):
    assert holds(case), case


@pytest.mark.skipif(not CASES, reason="the recorded cases are not here")
def test_nearly_all_edges_are_answered_alike():
    probes = [
        case
        for case in CASES
        if case["note"].startswith("probe") and case["part"] in PARTS
    ]
    failed = [probe for probe in probes if not holds(probe)]

    assert len(failed) <= len(probes) * (1 - LEAST_PROBES), failed
