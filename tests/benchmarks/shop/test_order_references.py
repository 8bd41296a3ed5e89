"""References of answers about a shop, in order: in worlds whose folders and fields have names of their own."""

import json
from typing import Any

import pytest

from benchmarks.ecom.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import WorldSettings
from benchmarks.shop.answers import Answer, Entry, apply_results
from gates.submission import OK
from tests.benchmarks.ecom.reference_solutions import generate_variant
from tests.support.functions_here import found


def ordered(variant: str, names: str, answer: dict[str, Any], results: str = "[]", *, in_order: bool = True):
    task = generate_variant(variant, "7", WorldSettings(names=names))
    environment = EcomEnvironment(task.world.workspace())
    given = {"request": task.instruction, "answer": answer, "findings": results, "in_order": in_order}
    result, _ = found(environment, "order_references", **given)
    return task, {ref["path"]: ref["reason"] for ref in result["refs"]}


def answer_with(outcome: str = OK, documents=(), records=(), task_type: str = "other") -> dict[str, Any]:
    cited = {"documents": [*documents], "records": [*records]}
    return {"outcome": outcome, "message": "done", "task_type": task_type, "protected": False, **cited}


@pytest.mark.parametrize("names", ["own", "random"])
def test_a_record_that_the_request_names_is_cited_with_what_it_is(names):
    task, refs = ordered("refund-approval#1", names, answer_with(documents=("/docs/security.md", "/docs/none.md")))
    paths = list(refs)
    assert paths[0] == "/docs/security.md", "documents first, and what does not exist is dropped"
    named = [path for path in paths if path in task.truth.records]
    assert named
    assert refs[named[0]].split()[0] == "the"
    assert named[0].rsplit("/", 1)[1].removesuffix(".json") in refs[named[0]]


@pytest.mark.parametrize("names", ["own", "random"])
def test_a_refusal_cites_no_record_of_another(names):
    foreign = generate_variant("foreign-basket#1", "7", WorldSettings(names=names)).truth.inputs["basket"]
    denied = answer_with("OUTCOME_DENIED_SECURITY", ("/docs/security.md",), (foreign,))
    _, refs = ordered("foreign-basket#1", names, denied)
    assert list(refs) == ["/docs/security.md"]


def test_documents_that_were_opened_are_cited_if_they_fit_the_kind():
    noted = json.dumps([{"opened": ["/docs/returns.md", "/docs/security.md", "/docs/stock.md"]}])
    answer = answer_with(task_type="refund")
    _, refs = ordered("refund-approval#1", "own", answer, noted, in_order=False)
    assert set(refs) == {"/docs/returns.md", "/docs/security.md"}
    assert all(reason.startswith("it says: ") for reason in refs.values())


@pytest.mark.parametrize(
    "request_text",
    ["What is the total of the fraud?", "Give the sums.", "What do the rows add up to?", "The damage, please", "in €"],
)
def test_rows_and_total_of_one_export_stay_together_and_out_of_other_answers(request_text):
    entries = [Entry("fraud", ("/a.tsv#row=1",), "EUR 1.00"), Entry("fraud", ("/b.tsv#row=2",), "EUR 2.00")]
    found = apply_results(entries, Answer(OK, "?", "fraud", text=request_text))
    assert (found.message, found.records) == ("EUR 2.00", ("/b.tsv#row=2",))
    assert apply_results(entries, Answer(OK, "3", "count", text="How many? EUR")).records == ()
