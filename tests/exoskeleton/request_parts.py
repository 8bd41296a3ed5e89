"""Cases about what requests ask, and about receipts."""

from dataclasses import replace

from benchmarks.shop.preflight.refund_question import refund_question
from tests.exoskeleton.case_world import asker_of, records_of
from toolkit.answers.answer_form import answer_form
from toolkit.dispatch.wave_files import wave_path
from toolkit.finding import CannotRead
from toolkit.receipts import ReceiptLine, read_receipt, reprice
from toolkit.requests import (
    Intent,
    SecurityCase,
    files_to_delete,
    is_override,
    may_change_files,
    poses_as_system,
    security_refusal,
)
from toolkit.requests.answer_template import filled_template
from toolkit.requests.city_stock import city_stock
from toolkit.requests.fraud_source import fraud_source
from toolkit.requests.note_claims import note_claim

UPLOAD = "/uploads/r.txt"


def security_decision(given: dict) -> dict:
    case = SecurityCase(
        given.get("text", ""), Intent(**given["flags"]), asker_of(given), records_of(given), given.get("policy", "")
    )
    found = security_refusal(case)
    if found is None:
        return {"denied": False}
    return {
        "denied": True,
        "reason": found.reason,
        "documents": list(found.subjects),
        "records": list(found.records),
        "protected": found.is_protected,
    }


def temporary_files(given: dict) -> dict:
    paths = list(records_of(given).all_paths)
    found = files_to_delete(Intent(**given["flags"]), paths)
    if found is None:
        return {"applies": False}
    return {"applies": True, "deleted": found, "left": sorted(set(paths) - set(found))}


def receipt_lines(given: dict) -> dict:
    try:
        found = read_receipt(given["lines"])
    except CannotRead:
        return {"error": True}
    items = [
        {"sku": each.code, "quantity": each.quantity, "unit_cents": each.unit_cents, "line_cents": each.line_cents}
        for each in found.lines
    ]
    return {"subtotal_cents": found.subtotal_cents, "items": items}


def receipt_price(given: dict) -> dict:
    lines = [
        ReceiptLine(each["sku"], each["quantity"], each["unit_cents"], each["quantity"] * each["unit_cents"])
        for each in given["lines"]
    ]
    resolved = [replace(each, code=given["resolved"][each.code]) for each in lines]
    found = reprice(resolved, given["subtotal_cents"], given["prices_cents"], tolerance_cents=given["tolerance_cents"])
    return {
        "yes": found.is_within,
        "current_cents": found.current_cents,
        "difference_cents": found.difference_cents,
        "cited": [UPLOAD, *found.codes],
    }


def ask_about_refund(given: dict) -> dict:
    found = refund_question(records_of(given), asker_of(given), given["text"])
    if found is None:
        return {"ask": False}
    return {"ask": True, "why": found.why, "records": list(found.records), "documents": list(found.subjects)}


def fraud_route(given: dict) -> dict:
    found = fraud_source(given["text"])
    return {"history": found.is_history, "export": found.is_export}


def city_request(given: dict) -> dict:
    found = city_stock(given["text"])
    if found is None:
        return {"found": False}
    return {"found": True, "city": found.city, "format": found.template, "product": found.product}


def claim_of(given: dict) -> dict:
    found = note_claim(given["id"], given["description"], [each["text"] for each in given["constraints"]])
    return {"base": list(found.base), "extra": list(found.extra), "claim": found.claim}


PARTS = {
    "refund_question": ask_about_refund,
    "fraud_route": fraud_route,
    "city_request": city_request,
    "note_claim": claim_of,
    "wave_path": lambda given: {"path": wave_path(given["text"])},
    "filled_template": lambda given: {"text": filled_template(given["template"], given["number"])},
    "format_contract": lambda given: {
        "message": answer_form(given["outcome"], given["message"], given["text"], given["rules"])
    },
    "override_marker": lambda given: {"marker": poses_as_system(given["text"])},
    "override_flag": lambda given: {
        "override": is_override(given["text"], Intent(**given["flags"]), given.get("policy", ""))
    },
    "security_decision": security_decision,
    "write_guard": lambda given: {"allowed": may_change_files(given["text"], is_classified=given["flag"])},
    "temporary_files": temporary_files,
    "receipt_lines": receipt_lines,
    "receipt_price": receipt_price,
}
