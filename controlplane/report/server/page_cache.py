"""The cache of pages of `controlplane view`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

KEPT_PAGES: Final = 8
"""The number of pages in the cache."""


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page in the cache. It is valid until something new is read of its runs."""

    versions: list[int]
    """The version of each run: how often something new was read of it."""
    html: str


class PageCache:
    """The pages that were rendered last, by address and searched words."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        """Held while a page is rendered, so that no journal is read meanwhile, and while
        `_pages` is changed, since several threads answer requests. To look up a page needs
        no lock: a page that another thread removes stays valid."""
        self._pages: dict[tuple[str, str], CachedPage] = {}

    def html(
        self, source: str, words: str, versions: list[int], render: Callable[[], str]
    ) -> str:
        """Return a page from the cache, or render it if the `versions` of its runs differ."""
        address = (source, words)
        page = self._pages.get(address)
        if page is None or page.versions != versions:
            with self._lock:
                page = CachedPage(versions, render())
                self._keep(address, page)
        return page.html

    def _keep(self, address: tuple[str, str], page: CachedPage) -> None:
        """Put a page last, in place of an earlier one of its address or else of the oldest."""
        self._pages.pop(address, None)
        if len(self._pages) >= KEPT_PAGES:
            oldest = next(iter(self._pages))
            del self._pages[oldest]
        self._pages[address] = page
