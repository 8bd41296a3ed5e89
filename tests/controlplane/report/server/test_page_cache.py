"""The cache of rendered pages, which keeps the last version of at most `KEPT_PAGES` pages.

The page of a run is rendered again only if its journal has grown, which is another version of the page.
"""

from threading import Lock

from controlplane.report.server.html_pages import KEPT_PAGES, PageCache


class CountedPages:
    """A cache of pages that notes the address of each page that it has to render."""

    def __init__(self) -> None:
        self.cache = PageCache(Lock())
        self.rendered: list[str] = []

    def show(self, address: str, *, version: int) -> None:
        """Show a page of a run. It is rendered unless the cache has this version of it."""

        def render() -> str:
            self.rendered.append(address)
            return address

        page = self.cache.html(address, words="", versions=[version], render=render)
        assert page == address


def test_a_new_version_of_a_page_takes_the_place_of_the_old_one_in_the_cache() -> None:
    """The page of a running run changes all the time; the other pages must stay in the cache."""
    pages = CountedPages()
    addresses = [f"/runs/{number}" for number in range(KEPT_PAGES)]
    for address in addresses:
        pages.show(address, version=1)
    *other_addresses, growing_run = addresses

    pages.show(growing_run, version=2)
    for address in other_addresses:
        pages.show(address, version=1)

    assert pages.rendered == [*addresses, growing_run]


def test_another_page_takes_the_place_of_the_oldest_one_in_the_full_cache() -> None:
    """The oldest page is rendered again when it is shown next."""
    pages = CountedPages()
    addresses = [f"/runs/{number}" for number in range(KEPT_PAGES)]
    for address in addresses:
        pages.show(address, version=1)

    pages.show("/", version=1)
    pages.show(addresses[0], version=1)

    assert pages.rendered == [*addresses, "/", addresses[0]]
