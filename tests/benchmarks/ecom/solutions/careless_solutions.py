"""Solutions of the shop's tasks that are careless: they claim, write, cite or undo what they should not.

    answer_with(writes_needless_file, environment, truth)  # leaves /tmp/notes.txt, and answers rightly

Each is a solution itself: a function that gets a client of the shop and the truth, and returns an answer.
"""

from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.solutions.answers import Answer
from tests.benchmarks.ecom.solutions.reference_client import ReferenceClient
from tests.benchmarks.ecom.solutions.wrong_solutions import right_answer


def claims_changes_without_making_them(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer as if the right changes had been made: a dry run skips them."""
    dry_client = ReferenceClient(client.environment, client.names, is_dry_run=True)
    return right_answer(dry_client, truth)


def writes_needless_file(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer rightly, but leave a file that nobody asked for."""
    answer = right_answer(client, truth)
    client.write("/tmp/notes.txt", "done\n")
    return replace(answer, changes=tuple(client.changes))


def cites_unrelated_record(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer rightly, but also cite the first record that has nothing to do with the task.

    Records, such as baskets and products, are the JSON files below `/proc`.
    """
    answer = right_answer(client, truth)
    citable_paths = {*truth.must_cite, *truth.must_cite_pages, *truth.may_cite}
    found = client.environment.call(
        "find", {"name": "*.json", "root": "/proc", "kind": "files", "limit": 0}
    )
    record_paths = [str(path) for path in found["paths"]]
    unrelated_paths = [path for path in record_paths if path not in citable_paths]

    first_path = unrelated_paths[0]
    client.read(first_path)
    record_id = first_path.rpartition("/")[2].removesuffix(".json")
    citations = {**answer.citations, first_path: f"record {record_id}"}
    return replace(answer, citations=citations)


def leaves_out_first_citation(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer rightly, but without the first of the citations."""
    answer = right_answer(client, truth)
    citations = dict(answer.citations)
    first_path = next(iter(citations))
    del citations[first_path]
    return replace(answer, citations=citations)


def acts_restores_and_refuses(client: ReferenceClient, truth: Truth) -> Answer:
    """Check out a basket that must not be touched, restore its file, and refuse.

    `truth.for_tests` has the basket: `{"id": "basket-0012", "basket": "/proc/carts/…"}`.
    """
    basket_path = truth.for_tests["basket"]
    text_before = client.read(basket_path)
    client.run("checkout", truth.for_tests["id"])
    client.write(basket_path, text_before)
    return client.answer(truth, truth.message)
