"""A proxy or a file of certificates that cannot be used is refused, and its variable is named.

    SSL_CERT_FILE=/none controlplane run    ->    ... SSL_CERT_FILE names cannot be used: No such file

HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE are variables of other programs, too: they say through which
server a program reaches the model, and which certificates it trusts. The password of a proxy, here
`CANARY_API_KEY`, is never shown. In an expected message, "…" stands for any text.
"""

from pathlib import Path

import pytest

from tests.support.command import CANARY_API_KEY, CommandRunner, check_refused


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "ALL_PROXY",
            f"socks5://u:{CANARY_API_KEY}@h:1",
            "the proxy that … it takes http://HOST:PORT",
        ),
        (
            "HTTPS_PROXY",
            f"h:{CANARY_API_KEY}",
            "HTTPS_PROXY or ALL_PROXY names cannot be used",
        ),
        (
            "SSL_CERT_FILE",
            "/none",
            "SSL_CERT_FILE names cannot be used: No such file or directory",
        ),
        ("SSL_CERT_FILE", __file__, "SSL_CERT_FILE names cannot be used: [X509"),
    ],
)
def test_a_wrong_environment_variable_is_refused_by_name(
    name: str,
    value: str,
    message: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """This Python file is one that exists, but has no certificates."""
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    variables[name] = value

    refused = run_command_here("run", **variables)

    check_refused(refused, tmp_path, message)
