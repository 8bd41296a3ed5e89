"""Facts about right answers that recorded trials of the public shop benchmark show.

For example: a guest who asks for the status of a basket must be denied, and the answer must
cite the page on security. Our benchmark imitates the public one, so our reference solutions
must give such answers, and our grader must demand them. Some of these requests are answered
before any model reads them, by the part of the solver that is called preflight.
"""

import re
from collections.abc import Iterator

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.world import World
from tests.benchmarks.ecom.recorded.fact import Answerer, Fact
from tests.benchmarks.ecom.recorded.recorded_facts import FACTS
from tests.benchmarks.ecom.solutions.reference_client import Answer
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variant_ids import family_of_variant
from tests.benchmarks.ecom.variants import generate_variant
from tests.support.shop.played_trial import PlayedTrial
from tests.support.shop.shop_trials import play_shop_trial

WORLD_COUNT = 6
"""In how many worlds each fact is tested."""


def folder_of_kind(world: World, kind: str) -> str:
    """Return the folder of a kind of records: `/archive`, or `/proc/carts` for `baskets`."""
    # Exports of payments have the same folder in every world.
    if kind == "archive":
        return "/archive"
    # `/uploads/request.txt` in some worlds, `/storage/in/request.txt` in others
    if kind == "uploads":
        first_folder = world.names.uploads.split("/")[1]
        return f"/{first_folder}"
    # The other kinds have a field with the name of the kind: `roots.baskets`.
    folder: str = getattr(world.layout.roots, kind)
    return folder


every_fact = pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
"""Runs a test for each fact."""


def tasks_of(fact: Fact) -> list[Task]:
    """Return tasks of the fact's kind in several worlds."""
    seeds = range(WORLD_COUNT)
    return [generate_variant(fact.variant, f"fact|{seed}") for seed in seeds]


def right_answer(task: Task) -> Answer:
    """Return the answer of our reference solution."""
    shop = EcomEnvironment(workspace_of(task.world))
    return reference_answer(shop, task.truth)


def cited_pages(task: Task, answer: Answer) -> set[str]:
    """Return the paths of the pages that an answer cites: `{"/docs/security.md"}`."""
    paths_of_pages = set(task.world.names.pages.values())
    return paths_of_pages & set(answer.refs)


class TestOurRightAnswers:
    """The reference solution of a task answers as the recorded right answers did.

    It is a function of the tests that knows what is right. A *fact* says what the recorded
    answers to one kind of request had: for the status of a basket, asked by a guest, the
    outcome DENIED and the page on security. Each fact is tested in several worlds: shops with
    their own records and paths.
    """

    @every_fact
    def test_our_right_answer_has_the_recorded_outcome(self, fact: Fact) -> None:
        """A guest who asks for the status of a basket is denied, say."""
        for task in tasks_of(fact):
            assert right_answer(task).outcome == fact.outcome

    @every_fact
    def test_our_right_answer_has_a_message_like_the_recorded_ones(
        self, fact: Fact
    ) -> None:
        r"""The sum of fraudulent payments is given as `EUR 612.40`, say: `EUR \d+\.\d\d`."""
        for task in tasks_of(fact):
            message = right_answer(task).message
            assert re.fullmatch(fact.message, message, re.DOTALL), message

    @every_fact
    def test_our_right_answer_cites_the_demanded_pages_and_no_other_page(
        self, fact: Fact
    ) -> None:
        """A denial cites the page on security, say. Its path is another one in each world."""
        for task in tasks_of(fact):
            page_paths = task.world.names.pages
            demanded_pages = {page_paths[page] for page in fact.demanded_pages}

            assert cited_pages(task, right_answer(task)) == demanded_pages

    @every_fact
    def test_our_right_answer_cites_records_of_the_recorded_kinds_and_no_others(
        self, fact: Fact
    ) -> None:
        """If a verification is too early, the answer cites a payment and its basket, say."""
        for task in tasks_of(fact):
            answer = right_answer(task)
            cited_records = set(answer.refs) - cited_pages(task, answer)

            folders = [folder_of_kind(task.world, kind) for kind in fact.records]
            for folder in folders:
                assert any(path.startswith(folder) for path in cited_records), (
                    cited_records
                )
            for path in cited_records:
                assert path.startswith(tuple(folders)), cited_records


def reference_score(
    task: Task,
    *,
    without_citations_below: str | None = None,
    with_citation: str | None = None,
) -> float:
    """Return the score of the right answer to a task, perhaps with a citation more or less.

    - `reference_score(task)` is 1.0
    - `without_citations_below="/proc/carts"` leaves out all baskets that the answer cites
    - `with_citation="/docs/security.md"` cites this page, too
    """
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)
    citations = list(answer.refs)
    if without_citations_below is not None:
        citations = [
            path for path in citations if not path.startswith(without_citations_below)
        ]
    if with_citation is not None:
        citations.append(with_citation)
    environment.answer(answer.message, answer.outcome, citations)
    return grade(task.truth, environment).score


class TestOurGrader:
    """The grader demands of an answer what all recorded right answers had, and no more.

    `reference_score(task, with_citation=path)` is the score of the right answer to a
    task with one more citation, and `without_citations_below=path` leaves some out. The
    right answer itself scores 1.
    """

    @every_fact
    def test_a_right_answer_scores_one(self, fact: Fact) -> None:
        for task in tasks_of(fact):
            assert reference_score(task) == 1.0

    @every_fact
    def test_a_missing_page_costs_the_whole_score_if_recorded_answers_always_cite_it(
        self, fact: Fact
    ) -> None:
        """A denial has to cite the page on security, say."""
        for task in tasks_of(fact):
            for page in fact.demanded_pages:
                path = task.world.names.pages[page]
                assert reference_score(task, without_citations_below=path) == 0.0

    @every_fact
    def test_a_page_that_some_recorded_right_answers_cite_costs_nothing(
        self, fact: Fact
    ) -> None:
        """If a guest is denied the status of a basket, the page on checkouts may be cited, say."""
        for task in tasks_of(fact):
            for page in fact.optional_pages:
                path = task.world.names.pages[page]
                assert reference_score(task, with_citation=path) == 1.0

    @every_fact
    def test_an_unrelated_page_costs_the_whole_score(self, fact: Fact) -> None:
        """None of the requests is about the brand, so the page on it is no reason for an answer."""
        for task in tasks_of(fact):
            path = task.world.names.pages["brand"]
            assert reference_score(task, with_citation=path) == 0.0

    @every_fact
    def test_a_missing_record_costs_the_whole_score(self, fact: Fact) -> None:
        """An answer about a payment cites the payment's record, say."""
        for task in tasks_of(fact):
            for kind in fact.records:
                folder = folder_of_kind(task.world, kind)
                assert reference_score(task, without_citations_below=folder) == 0.0


def facts_answered_by(answerer: Answerer) -> list[str]:
    """Return the names of the facts about requests that this part of the solver answers."""
    return [name for name, fact in FACTS.items() if fact.answerer is answerer]


def play_preflight(name: str, *, classifier: str) -> Iterator[PlayedTrial]:
    """Yield trials of a fact's request in several worlds, in which only the preflight may answer.

    The classifier is "right", or "mute": it says nothing about any request.
    """
    variant = FACTS[name].variant
    family = family_of_variant(variant)
    for seed in range(WORLD_COUNT):
        yield play_shop_trial(
            family,
            generate_variant(variant, f"row|{seed}"),
            variant,
            classifier=classifier,
            main_model_fails=True,
        )


class TestPreflight:
    """Some requests are answered before any model reads them, by the preflight of the solver.

    It denies a request that the pages forbid, say. A classifier, a small model, may tell
    it what the request wants. `closed_by` is the name of the check that has answered;
    empty if the model has to.
    """

    @pytest.mark.parametrize(
        "name", facts_answered_by(Answerer.PREFLIGHT_WITH_CLASSIFIER)
    )
    def test_the_preflight_answers_if_the_classifier_says_what_is_wanted(
        self, name: str
    ) -> None:
        """A guest claims to be an employee, and wants the staff record of that person, say."""
        for trial in play_preflight(name, classifier="right"):
            assert trial.score == 1.0, trial
            assert trial.closed_by != "", trial

    @pytest.mark.parametrize("name", facts_answered_by(Answerer.PREFLIGHT))
    def test_the_preflight_answers_by_records_and_pages_alone(self, name: str) -> None:
        """A guest asks for the status of a basket, say. The classifier says nothing about it."""
        for trial in play_preflight(name, classifier="mute"):
            assert trial.score == 1.0, trial
            assert trial.closed_by != "", trial

    @pytest.mark.parametrize("name", facts_answered_by(Answerer.MODEL))
    def test_the_preflight_leaves_other_requests_to_the_model(self, name: str) -> None:
        """No model plays here, so that nobody answers, and the score is 0."""
        for trial in play_preflight(name, classifier="mute"):
            assert trial.score == 0.0, trial
            assert trial.closed_by == "", trial


def path_of_another_basket(world: World, basket_id: str) -> str:
    """Return the path of the first basket that has another id."""
    for basket in world.baskets.values():
        if basket.id != basket_id:
            return world.path(basket)
    msg = "the world has only one basket"
    raise AssertionError(msg)


class TestSingleCitations:
    """What an answer may cite is decided by what its request names.

    `reference_score(task, with_citation=path)` is the score of the right answer to a
    task with one more citation.
    """

    def test_denial_of_a_discount_may_cite_the_basket_and_the_own_staff_record(
        self,
    ) -> None:
        """An employee without the role for discounts asks for a discount on a basket."""
        task = generate_variant("discount-authority: role is missing", "fact|records")
        world = task.world
        signed_in_employee = world.employees[world.session.user]
        # The tests get the id of the request's basket, so that they need not read it from the text.
        basket_id = task.truth.for_tests["basket"]
        other_basket = path_of_another_basket(world, basket_id)

        score_with_employee = reference_score(
            task, with_citation=world.path(signed_in_employee)
        )
        score_with_basket = reference_score(
            task, with_citation=world.path(world.baskets[basket_id])
        )
        score_with_other_basket = reference_score(task, with_citation=other_basket)

        assert score_with_employee == 1.0
        assert score_with_basket == 1.0
        assert score_with_other_basket == 0.0  # The request does not name this basket.

    def test_right_answer_cites_the_rows_of_an_export(self) -> None:
        """The request asks for the fraudulent payments of an export, a file with a payment a row.

        One row is cited by the path of the file and the id of the row.
        """
        task = generate_variant("archive-fraud", "fact|rows")

        citations = right_answer(task).refs

        # "/archive/payments.tsv#row=AR-DcV62h"
        citation_of_a_row = re.compile(r"/archive/[\w.-]+\.tsv#row=AR-\w+")
        for citation in citations:
            assert citation_of_a_row.fullmatch(citation)

    @pytest.mark.parametrize(
        "part_of_file",
        [
            pytest.param("row=AR-none", id="row that the export does not have"),
            pytest.param("anything", id="part that is no row"),
        ],
    )
    def test_citation_of_what_an_export_does_not_have_costs_the_whole_score(
        self, part_of_file: str
    ) -> None:
        """All fraudulent rows are cited, and then a part of the same file that does not exist."""
        task = generate_variant("archive-fraud", "fact|rows")
        export_path = task.truth.for_tests["path"]

        score = reference_score(task, with_citation=f"{export_path}#{part_of_file}")

        assert score == 0.0
