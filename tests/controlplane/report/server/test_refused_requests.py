"""A request to `controlplane view` without the token, or from a page of another site, reads nothing.

The command serves pages about runs, and prints an address with a secret token, which the user opens
once. A page of another site, in the user's browser, can send requests to the server, too. They have the
user's cookie with the token, as `view.get` sends it, and name their site as `Origin`.
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.served_pages import RunningView


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param(
            {"Host": "evil.example"},
            HTTPStatus.MISDIRECTED_REQUEST,
            id="another host",
        ),
        pytest.param(
            {"Host": "127.0.0.1:1"},
            HTTPStatus.MISDIRECTED_REQUEST,
            id="another port",
        ),
        pytest.param(
            {"Origin": "http://evil.example"},
            HTTPStatus.FORBIDDEN,
            id="a script of another site",
        ),
        pytest.param(
            {"Origin": "null"}, HTTPStatus.FORBIDDEN, id="a script of no site"
        ),
    ],
)
def test_a_request_from_another_site_is_refused(
    view: RunningView, headers: dict[str, str], status: int
) -> None:
    """The user may have the page of another site open, whose scripts must not read the runs. A
    request of theirs may have the right cookie, as `view.get` sends it: browsers add
    cookies."""
    answer = view.get("/runs/a", **headers)

    assert answer.status == status
    assert b"alpha" not in answer.body


def test_a_request_with_a_wrong_cookie_is_refused(view: RunningView) -> None:
    """The cookie has to have the token that the server printed for the user."""
    wrong_cookie = "controlplane_view=wrong"
    answer = view.get("/runs/a", cookie=False, Cookie=wrong_cookie)

    assert answer.status == HTTPStatus.FORBIDDEN
    assert b"alpha" not in answer.body


def test_a_request_without_the_token_is_refused(view: RunningView) -> None:
    """Other users of the machine can reach the server, too."""
    assert view.get("/", cookie=False).status == HTTPStatus.FORBIDDEN
    assert view.get("/?token=wrong", cookie=False).status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_request_that_would_change_something_is_refused(
    view: RunningView, method: str
) -> None:
    """The server only shows what was recorded."""
    assert view.get("/", method=method).status == HTTPStatus.METHOD_NOT_ALLOWED
