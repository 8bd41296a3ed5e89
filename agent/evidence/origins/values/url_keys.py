"""Returns the keys of URLs and their hosts, which all their spellings share.

A page may say `https://www.Pay.org/form?x=1` where a call has `pay.org/form?x=1`. The key of both
is `pay.org/form?x=1`, and that of their host `pay.org`. A call with another form at the same host
is found by the host.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values


def keys_of_urls(text: str) -> Iterator[str]:
    """Yield the keys of the URLs in a text, and those of their hosts.

    `See https://www.pay.org/Form` -> `pay.org/form`, `pay.org`
    """
    for chunk in text.split():
        may_have_url = "://" in chunk or "www." in chunk.casefold()
        if may_have_url:
            for url in written_values(chunk, kinds=(Kind.URL,)):
                key = key_of_url(url.canonical)
                yield key
                yield host_of(key)


def key_of_url(canonical_url: str) -> str:
    """Return the key of a URL. A canonical URL has no `https://`.

    | `canonical_url` | key |
    |---|---|
    | `www.pay.org/form` | `pay.org/form`: most hosts answer to both names |
    | `pay.org/Form` | `pay.org/form`, in lower case |
    """
    return canonical_url.removeprefix("www.").casefold()


def host_of(url_key: str) -> str:
    """Return the host in the key of a URL, which is a key, too.

    | `url_key` | host |
    |---|---|
    | `pay.org/form?x=1` | `pay.org` |
    | `pay.org?x=1` | `pay.org` |
    | `pay.org#top` | `pay.org` |
    """
    host = url_key.partition("/")[0]
    return host.partition("?")[0].partition("#")[0]
