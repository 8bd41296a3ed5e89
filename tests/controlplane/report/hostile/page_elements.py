"""What is in an HTML page: its tags, attributes, links and texts.

    PageElements("<p>hello</p>").tags    ->    {"p"}

It asserts that elements end in the right order.
"""

from html.parser import HTMLParser

ELEMENTS_WITHOUT_END = {"meta", "link", "input", "br", "img"}


LINK_ATTRIBUTES = {"href", "src", "action", "xlink:href"}


class PageElements(HTMLParser):
    """Collects what is in a page, and asserts that its elements end in the right order.

    The parser calls the methods `handle_...` for each tag and each piece of text.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.link_targets: set[str] = set()
        self.text = ""
        self._open_tags: list[str] = []
        self.feed(html)
        self.close()
        assert self._open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in LINK_ATTRIBUTES:
                self.link_targets.add(value or "")
        if tag not in ELEMENTS_WITHOUT_END:
            self._open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open_tags.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
