"""Who may read the pages of `controlplane view`: only a browser that has the server's secret token.

The command prints an address with the token, which the user opens once. Other users of the machine, and
scripts of other sites in the user's browser, can reach the server, too, and must not read a run. Nothing
can be changed through the server.
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.running_view import RunningView


class TestRefusedRequests:
    """A request without the token, or from a page of another site, reads nothing.

    A page of another site, in the user's browser, can send requests to the server. They have the
    user's cookie with the token, as `view.get` sends it, and name their site as `Origin`.
    """

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
        self, view: RunningView, headers: dict[str, str], status: int
    ) -> None:
        """The user may have the page of another site open, whose scripts must not read the runs. A
        request of theirs may have the right cookie, as `view.get` sends it: browsers add
        cookies."""
        answer = view.get("/runs/a", **headers)

        assert answer.status == status
        assert b"alpha" not in answer.body

    def test_a_request_with_a_wrong_cookie_is_refused(self, view: RunningView) -> None:
        """The cookie has to have the token that the server printed for the user."""
        wrong_cookie = "controlplane_view=wrong"
        answer = view.get("/runs/a", cookie=False, Cookie=wrong_cookie)

        assert answer.status == HTTPStatus.FORBIDDEN
        assert b"alpha" not in answer.body

    def test_a_request_without_the_token_is_refused(self, view: RunningView) -> None:
        """Other users of the machine can reach the server, too."""
        assert view.get("/", cookie=False).status == HTTPStatus.FORBIDDEN
        assert view.get("/?token=wrong", cookie=False).status == HTTPStatus.FORBIDDEN

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
    def test_a_request_that_would_change_something_is_refused(
        self, view: RunningView, method: str
    ) -> None:
        """The server only shows what was recorded."""
        assert view.get("/", method=method).status == HTTPStatus.METHOD_NOT_ALLOWED


class TestToken:
    """The user opens "http://127.0.0.1:8765/?token=3f2a" once, and gets a cookie.

    The page then has an address without the token, which the user may show to others.
    """

    def test_the_token_is_exchanged_for_a_cookie(self, view: RunningView) -> None:
        """Scripts cannot read the cookie (HttpOnly), and requests from other sites do not carry it
        (SameSite)."""
        answer = view.get(f"/?token={view.token}", cookie=False)

        assert answer.status == HTTPStatus.SEE_OTHER
        assert answer.headers["location"] == "/"
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=strict" in answer.headers["set-cookie"]

    def test_an_address_with_the_token_never_redirects_to_another_host(
        self, view: RunningView
    ) -> None:
        """The location "//evil.example/", with two slashes, would be the host evil.example."""
        answer = view.get(f"//evil.example/?token={view.token}", cookie=False)

        assert answer.status == HTTPStatus.SEE_OTHER
        assert answer.headers["location"] == "/evil.example/"

    @pytest.mark.parametrize("path", ["/", "/runs/a", "/runs/a,b"])
    def test_browsers_run_no_script_that_is_written_in_a_page(
        self, view: RunningView, path: str
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
