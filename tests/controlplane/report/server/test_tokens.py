"""The user opens the address that `controlplane view` prints, and gets a cookie with its secret token.

    http://127.0.0.1:8765/?token=3f2a    ->    http://127.0.0.1:8765/

The page then has an address without the token, which the user may show to others.
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.served_pages import RunningView


def test_the_token_is_exchanged_for_a_cookie(view: RunningView) -> None:
    """Scripts cannot read the cookie (HttpOnly), and requests from other sites do not carry it
    (SameSite)."""
    answer = view.get(f"/?token={view.token}", cookie=False)

    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/"
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=strict" in answer.headers["set-cookie"]


def test_an_address_with_the_token_never_redirects_to_another_host(
    view: RunningView,
) -> None:
    """The location "//evil.example/", with two slashes, would be the host evil.example."""
    answer = view.get(f"//evil.example/?token={view.token}", cookie=False)

    assert answer.status == HTTPStatus.SEE_OTHER
    assert answer.headers["location"] == "/evil.example/"


@pytest.mark.parametrize("path", ["/", "/runs/a", "/runs/a,b"])
def test_browsers_run_no_script_that_is_written_in_a_page(
    view: RunningView, path: str
) -> None:
    """The policy in the header allows only scripts that are files of the server."""
    answer = view.get(path)
    policy = answer.headers["content-security-policy"]
    page = answer.body.decode()

    assert "script-src 'self'" in policy
    assert "'unsafe" not in policy
    assert "<style" not in page
    scripts_from_files = page.count('<script src="/static/')
    assert page.count("<script") == scripts_from_files
