"""The second reader: a model that reads an accepted answer before it is sent.

The reader looks for a line of the request, the rules or the cited files that speaks against the
answer, and quotes it: `{"against": ["Answer in German."]}`. The answer is then sent back, once. A
quotation that occurs in none of these texts is dropped, because the reader made it up.
"""

from __future__ import annotations

import pytest

from controlplane.agent.model import ModelError, ModelRequest, Reply
from controlplane.agent.second_reader import quoted_in, review_of
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.recorded_calls import CallsOfTrial


class TestQuotations:
    """`quoted_in(reply, texts)` returns the quotations of a reply that occur in one of the texts."""

    def test_quotations_may_be_from_several_texts(self) -> None:
        reply = '{"against": ["Name the fee, too.", "Answer in German."]}'
        texts = ["When is it due? Answer in German.", "Name the fee, too."]

        assert quoted_in(reply, texts) == ["Name the fee, too.", "Answer in German."]

    def test_a_quotation_may_have_other_blanks_and_another_case(self) -> None:
        reply = '{"against": ["Answer in  german."]}'

        assert quoted_in(reply, ["Answer in German."]) == ["Answer in  german."]

    def test_a_reply_may_have_words_around_its_json(self) -> None:
        reply = 'Here: {"against": ["Answer in German."]} as asked'

        assert quoted_in(reply, ["Answer in German."]) == ["Answer in German."]

    @pytest.mark.parametrize(
        "reply",
        [
            pytest.param('{"against": ["It is wrong, says the file."]}', id="made up"),
            pytest.param('{"against": ["German"]}', id="too short to be a quotation"),
            pytest.param('{"against": []}', id="none"),
            pytest.param('{"against": "Answer in German."}', id="text, not a list"),
            pytest.param(
                '{"against": [7, null, {"a": "Answer in German."}]}', id="not texts"
            ),
            pytest.param('{"verdict": "no"}', id="another key"),
            pytest.param("Answer in German.", id="not JSON"),
            pytest.param("[" * 50_000, id="brackets"),
            pytest.param("", id="empty"),
        ],
    )
    def test_a_reply_without_a_real_quotation_has_none(self, reply: str) -> None:
        assert quoted_in(reply, ["Answer in German."]) == []


def review(reply: str | ModelError) -> Verdict:
    """Return the verdict of a reader with this reply on the answer "Until May.".

    An error instead of a reply is raised, as if the reader's model were down.
    """

    def ask_reader(request: ModelRequest) -> Reply:
        if isinstance(reply, ModelError):
            raise reply
        return Reply(text=reply)

    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "A loan runs 21 days.")
    submission = Submission(
        answer="Until May.",
        outcome="OUTCOME_OK",
        refs_why={"/docs/Loans.md": "a loan runs 21 days"},
    )
    case = Case(
        instruction="Until when may loan-02 be kept? Answer in German.",
        rules="Name the fee, too.",
    )
    return review_of(ask_reader, submission, calls.evidence, case)


class TestVerdicts:
    """The verdict is "reject" if the reader quotes a line that is in one of the texts."""

    @pytest.mark.parametrize(
        "line",
        [
            pytest.param("Answer in German.", id="of the request"),
            pytest.param("Name the fee, too.", id="of the rules"),
            pytest.param("A loan runs 21 days.", id="of a cited file"),
        ],
    )
    def test_a_reader_objects_by_quoting_a_line(self, line: str) -> None:
        verdict = review(f'{{"against": ["{line}"]}}')

        assert verdict.result == "reject"
        assert f"`{line}`" in verdict.reason  # The model is told which line it is.

    def test_a_reader_that_makes_its_quotation_up_does_not_object(self) -> None:
        verdict = review('{"against": ["Nowhere at all."]}')

        assert verdict.result == "pass"
        assert verdict.reason == ""

    def test_an_answer_is_not_lost_if_the_reader_fails(self) -> None:
        verdict = review(ModelError("down"))

        assert verdict.result == "not_applicable"
        assert verdict.reason == "the second reader failed: down"

    @pytest.mark.parametrize(
        "reply",
        [
            pytest.param('{"against": ["Answer in German."]}', id="it objects"),
            pytest.param('{"against": []}', id="it does not object"),
            pytest.param(ModelError("down"), id="it fails"),
        ],
    )
    def test_an_answer_may_be_sent_in_spite_of_the_reader(
        self, reply: str | ModelError
    ) -> None:
        """`ask`: the answer goes back to the model, and is sent if it is handed in again."""
        verdict = review(reply)

        assert verdict.key == "review"  # the reader's name in reports
        assert verdict.enforcement == "ask"
