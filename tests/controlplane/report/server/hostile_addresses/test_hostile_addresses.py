"""Addresses of pages with hostile numbers in them do not make the server of `view` fail.

A page such as `/runs/a/trial-1-2.json` has numbers in its address. In their place stand numbers of
5,000 digits, signs that Python's `int` takes for a number, or nothing. Such a page is not found.
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.served_pages import RunningView
from tests.controlplane.report.server.hostile_addresses.hostile_numbers import (
    HOSTILE_NUMBERS,
)

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
