import pytest

from benchmarks.shop.assembly.answer_kinds import BLOCKED, answer_kind


@pytest.mark.parametrize(
    ("request_words", "more", "outcome", "cites"),
    [
        ("check out an own basket", {}, "OK", ("checkout policy", "basket")),
        ("check out a basket", {"state": "a line is short"}, "UNSUPPORTED", ("checkout policy", "basket")),
        ("check out a basket", {"asker": "guest"}, "DENIED", ("security policy",)),
        ("check out somebody else's basket", {}, "DENIED", ("security policy",)),
        ("restart a verification", {"state": "the window is not open"}, "UNSUPPORTED", None),
        ("restart a verification", {}, "OK", None),
        ("refund step", {"state": "the return was rejected"}, "UNSUPPORTED", None),
        ("SKU of a described product", {"state": "several fit"}, "CLARIFY", ("every candidate product",)),
    ],
)
def test_the_first_kind_that_fits_says_what_is_right(request_words, more, outcome, cites):
    found = answer_kind(request_words, **more)
    assert found.outcome == outcome
    assert cites is None or found.cites == cites


def test_a_block_is_refused_whatever_is_asked():
    assert answer_kind("calendar date", carries_block=True) is BLOCKED
    assert answer_kind("sing a song") is None
