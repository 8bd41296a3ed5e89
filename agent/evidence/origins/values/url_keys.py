"""Returns the keys of URLs and their hosts, by which a URL is found in whatever spelling.

A page may say `https://www.Pay.org/form?x=1` where a call has `https://pay.org/form?x=1`. Both
have the key `pay.org/form?x=1`, without the scheme and `www.`, in lower case. A call with another
form at the same host is found by the host, `pay.org`.

    keys_of_urls("See https://www.pay.org/Form")    -> "pay.org/form", "pay.org"
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values


def keys_of_urls(text: str) -> Iterator[str]:
    """Yield the keys of the URLs in a text, and those of their hosts."""
    for chunk in text.split():
        may_have_url = "://" in chunk or "www." in chunk.casefold()
        if may_have_url:
            for url in written_values(chunk, kinds=(Kind.URL,)):
                key = key_of_url(url.canonical)
                yield key
                yield host_of(key)


def key_of_url(address: str) -> str:
    """Return the key of a URL without its scheme: `WWW.pay.org/Form` -> `pay.org/form`.

    Most hosts answer to both names, with `www.` and without.
    """
    return address.casefold().removeprefix("www.")


def host_of(url_key: str) -> str:
    """Return the host in the key of a URL: `pay.org/form`, `pay.org?x=1`, `pay.org#top` -> `pay.org`."""
    host = url_key.partition("/")[0]
    return host.partition("?")[0].partition("#")[0]
