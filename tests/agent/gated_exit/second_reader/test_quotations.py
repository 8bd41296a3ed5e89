"""What a second reader, a model that reads an answer before it is sent, quotes against the answer.

The reader quotes lines of the request, the rules or the cited files: `{"against": ["Answer in
German."]}`. `quoted_in(reply, texts)` returns the quotations of a reply that occur in one of the texts.
Others are dropped, because the reader made them up.
"""

import pytest

from controlplane.agent.second_reader import quoted_in


def test_quotations_may_be_from_several_texts() -> None:
    reply = '{"against": ["Name the fee, too.", "Answer in German."]}'
    texts = ["When is it due? Answer in German.", "Name the fee, too."]

    assert quoted_in(reply, texts) == ["Name the fee, too.", "Answer in German."]


def test_a_quotation_may_have_other_blanks_and_another_case() -> None:
    reply = '{"against": ["Answer in  german."]}'

    assert quoted_in(reply, ["Answer in German."]) == ["Answer in  german."]


def test_a_reply_may_have_words_around_its_json() -> None:
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
def test_a_reply_without_a_real_quotation_has_none(reply: str) -> None:
    assert quoted_in(reply, ["Answer in German."]) == []
