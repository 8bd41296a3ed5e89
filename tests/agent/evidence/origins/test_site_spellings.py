"""A site and a mail address of a mail are recognised in a call, however the script spells them.

A value that only a mail has is of the origin `PROSE`, for running text. A value that no text has is of the
origin `MADE`: the script made it up. The host of a page is looked up as well as its whole address. If one
of them is `PROSE`, the page is.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("http://pay.example/form", id="site without encryption"),
        pytest.param("https://www.pay.example/other?amount=5", id="page of the site"),
        pytest.param("bob+x@pay.example", id="address with a tag"),
        pytest.param("b.ob@PAY.example", id="address with a dot and in capitals"),
        pytest.param("mailto:bob@pay.example", id="address as a link"),
    ],
)
def test_a_site_and_an_address_are_recognised(value: str) -> None:
    """Many providers deliver mails to `b.ob` and to `bob+x` as to `bob`."""
    texts = TextsOfTrial(
        mail="Ask bob@pay.example or https://pay.example/form for more."
    )

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("https://www.pay.example/other", id="small letters"),
        pytest.param("https://WWW.Pay.example/other", id="capitals"),
        pytest.param("WWW.Pay.example/other", id="capitals without scheme"),
    ],
)
def test_only_the_host_of_a_page_is_found(page: str) -> None:
    """The mail has the host `pay.example`, without `www.`, and another page of it."""
    texts = TextsOfTrial(mail="See https://pay.example/form for more.")

    origin_of_page = texts.origins({"page": page})["page"]

    origins = {found.value.text: found.origin for found in origin_of_page.findings}
    assert origins == {page: Origin.MADE, "pay.example": Origin.PROSE}
