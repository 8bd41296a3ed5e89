"""Cases about what requests ask, and about receipts."""

from benchmarks.shop.preflight import refund_question
from tests.exoskeleton.case_world import asker_of, records_of
from toolkit.answers import answer_form
from toolkit.dispatch import Lane, Package, plan_wave, wave_path
from toolkit.requests import (
    Intent,
    SecurityCase,
    city_stock,
    files_to_delete,
    filled_template,
    fraud_source,
    is_override,
    may_change_files,
    posed_block,
    security_refusal,
)
from toolkit.stock import read_coded_lines, reprice


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
    found = read_coded_lines(given["lines"])
    if found is None:
        return {"error": True}
    items = [
        {"sku": item.code, "quantity": item.count, "unit_cents": item.unit_cents, "line_cents": item.total_cents}
        for item in found.items
    ]
    return {"subtotal_cents": found.subtotal_cents, "items": items}


def receipt_price(given: dict) -> dict:
    counts = [(given["resolved"][line["sku"]], line["quantity"]) for line in given["lines"]]
    found = reprice(counts, given["subtotal_cents"], given["prices_cents"], given["tolerance_cents"])
    return {
        "yes": found.is_within,
        "current_cents": found.current_cents,
        "difference_cents": found.difference_cents,
        "cited": list(dict.fromkeys(["/uploads/r.txt", *(code for code, _ in counts)])),
    }


def ask_about_refund(given: dict) -> dict:
    found = refund_question(records_of(given), asker_of(given), given["text"])
    if found is None:
        return {"ask": False}
    return {"ask": True, "why": found.why, "records": list(found.records), "documents": list(found.subjects)}


def fraud_route(given: dict) -> dict:
    found = fraud_source(given["text"])
    return {"history": found == "history", "export": found == "export"}


def city_request(given: dict) -> dict:
    found = city_stock(given["text"])
    if found is None:
        return {"found": False}
    return {"found": True, "city": found.city, "format": found.template, "product": found.product}


def wave_plan(given: dict) -> dict:
    packages = [
        Package(row["id"], row["from"], row["to"], row["due"], row["margin_cents"]) for row in given["packages"]
    ]
    lanes = [
        Lane(row["id"], row["from"], row["to"], row["capacity"], row["eta"], row["cost_cents"])
        for row in given["lanes"]
    ]
    plan = plan_wave(packages, lanes)
    if plan is None:
        return {"plan": None}
    rows = [
        {"package": taken.package.id, "route": [lane.id for lane in taken.route], "priority": taken.priority}
        for taken in plan.assignments
    ]
    costs = zip(("late", "lateness", "cost_cents", "travel"), plan.cost, strict=True)
    return {"plan": rows, "arrivals": plan.arrivals, **dict(costs)}


PARTS = {
    "wave_plan": wave_plan,
    "receipt_lines": receipt_lines,
    "receipt_price": receipt_price,
    "refund_question": ask_about_refund,
    "fraud_route": fraud_route,
    "city_request": city_request,
    "wave_path": lambda given: {"path": wave_path(given["text"])},
    "filled_template": lambda given: {"text": filled_template(given["template"], given["number"])},
    "format_contract": lambda given: {
        "message": answer_form(given["outcome"], given["message"], given["text"], given["rules"])
    },
    "override_marker": lambda given: {"marker": posed_block(given["text"]) is not None},
    "override_flag": lambda given: {
        "override": is_override(given["text"], Intent(**given["flags"]), given.get("policy", ""))
    },
    "security_decision": security_decision,
    "write_guard": lambda given: {"allowed": may_change_files(given["text"], is_classified=given["flag"])},
    "temporary_files": temporary_files,
}
