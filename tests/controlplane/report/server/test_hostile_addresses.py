"""Addresses of pages with hostile numbers and texts in them, which must not make the server fail.

A page such as `/runs/a/trial-1-2.json` has numbers in its address. In their place stand numbers of 5,000
digits, signs that Python's `int` takes for a number, or bytes that are not a text.
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.running_view import RunningView

HOSTILE_NUMBERS = [
    "9" * 5_000,
    "-1",
    "0",
    "1.5",
    "1e9",
    "%D9%A1",  # one in Arabic digits
    "%EF%BC%91",  # one in full width
    "%C2%B2",  # two, as an exponent
    "%ED%A0%80",  # half a surrogate pair
    "%FF",  # not UTF-8
    "%00",  # the null character
    "%1B%5B31m",  # an escape sequence for terminals
]
"""Texts, as they are encoded in addresses, that a page may take for a number, or fail at."""
ADDRESSES_WITH_A_NUMBER = [
    "/runs/{}",
    "/runs/a,{}",
    "/runs/a/trial-{}-1.json",
    "/runs/a/trial-1-{}.json",
    "/runs/a/trial-1-{}/requests.json",
    "/runs/a/{}.json",
    "/runs/{}/events",
    "/loops/{}",
    "/{}",
]
"""Addresses of pages; a hostile number replaces the braces."""


@pytest.mark.parametrize("address", ADDRESSES_WITH_A_NUMBER)
def test_an_address_with_a_hostile_number_is_not_found(
    view: RunningView, address: str
) -> None:
    """The server must not answer with an error of its own (500)."""
    for number in HOSTILE_NUMBERS:
        status = view.get(address.format(number)).status
        assert status == HTTPStatus.NOT_FOUND, (address, number)


@pytest.mark.parametrize(
    "address",
    [
        "/runs/",
        "/runs/a/trial--1.json",
        "/runs/a/trial-1-.json",
        "/runs/a/trial-1-/requests.json",
        "/runs/a/.json",
        "/runs//events",
        "/loops/",
    ],
)
def test_an_address_without_its_number_is_not_found(
    view: RunningView, address: str
) -> None:
    """A redirection to the address without its last slash is right, too."""
    status = view.get(address).status

    assert status in (HTTPStatus.NOT_FOUND, HTTPStatus.TEMPORARY_REDIRECT)


@pytest.mark.parametrize("page", ["/", "/runs/a"])
def test_any_text_can_be_searched(view: RunningView, page: str) -> None:
    """The text is not a pattern, so that a bracket is no error, and a star takes no time."""
    patterns = ["(" * 2_000, "a*" * 1_000, "%5B"]
    for text in ["", *HOSTILE_NUMBERS, *patterns]:
        answer = view.get(f"{page}?find={text}")
        assert answer.status == HTTPStatus.OK, text
