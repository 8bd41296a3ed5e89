"""A site and a mail address of a mail are recognised in a call, however the script spells them.

Their origin is `PROSE`, the running text of a mail, and what no text has was `MADE` by the script.
"""

import pytest

from controlplane.agent.evidence.origins.origin import Origin
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
def test_the_host_of_a_site_is_found_once(page: str) -> None:
    """The mail has it without `www.`. So only the page was made by the script."""
    texts = TextsOfTrial(mail="See https://pay.example/form for more.")

    findings = texts.origins({"page": page})["page"]

    origins = {found.value.text: found.origin for found in findings.findings}
    assert origins == {page: Origin.MADE, "pay.example": Origin.PROSE}
