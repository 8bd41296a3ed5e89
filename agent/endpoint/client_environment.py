"""What the environment variables set for HTTP clients: proxies and trusted certificates.

In many companies, requests go through the proxy in `HTTPS_PROXY`, and servers have
certificates of an authority in the file `SSL_CERT_FILE`.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final
from urllib.request import getproxies, proxy_bypass

import httpx2

UNUSABLE_PROXY: Final = (
    "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: "
    "it takes http://HOST:PORT"
)


@contextmanager
def explained_errors() -> Iterator[None]:
    """Turn the errors of a client that is being created into `ValueError` with one line."""
    try:
        yield
    except (ValueError, ImportError, httpx2.InvalidURL):
        # The proxy's address is the only input that raises these: it has an unknown
        # protocol, is not an address, or begins with socks:// while the library for
        # it is not installed.
        raise ValueError(UNUSABLE_PROXY) from None
    except OSError as error:
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
        raise ValueError(msg) from error


def trusted_certificates() -> ssl.SSLContext:
    """Return the trusted certificates. Raises `OSError` if they cannot be read."""
    return _certificates_of(
        os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    )


@cache
def _certificates_of(file: str | None, folder: str | None) -> ssl.SSLContext:
    """Load the certificates, which takes a while, so they are cached.

    `file` and `folder` only tell the cache when to load others: `httpx2` reads both from
    the environment.
    """
    del file, folder
    return httpx2.create_ssl_context()


def uses_proxy(url: httpx2.URL) -> bool:
    """Return True if the environment variables name a proxy for this address."""
    proxies = getproxies()
    has_proxy = bool(proxies.get(url.scheme) or proxies.get("all"))
    return has_proxy and not proxy_bypass(url.host)
