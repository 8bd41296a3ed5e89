"""Converts HTML to Markdown, with every row of a table complete.

A page is shown to a model as text, by lines: a search for `North` shows the line with it. So
tables become rows of Markdown in which each cell is repeated where it belongs (`html_spans`).
The parser follows the HTML standard, as browsers do: end tags may be missing where the standard
allows it.
"""

from __future__ import annotations

from typing import Any, Final, cast

from bs4 import BeautifulSoup
from markdownify import ATX
from markitdown.converters._markdownify import _CustomMarkdownify

from controlplane.benchmarks.files.documents.html.html_spans import fill_spans
from controlplane.benchmarks.files.documents.html.html_tables import (
    join_row_groups,
    unfold_layout_tables,
)

NOT_SHOWN: Final = ("script", "style", "template")
"""Elements whose content browsers do not show as text."""


def html_to_markdown(html: str) -> str:
    """Return the text of an HTML page as Markdown: `<h1>Fees</h1>` -> `# Fees`."""
    soup = BeautifulSoup(html, "html5lib")
    for element in soup(NOT_SHOWN):
        element.extract()
    # Change the page so that the converter makes readable tables of it.
    unfold_layout_tables(soup)
    join_row_groups(soup)
    fill_spans(soup)
    body = soup.find("body") or soup
    try:
        markdown = _MarkdownWriter(heading_style=ATX).convert_soup(body)
    # The elements are nested too deeply for a recursive converter.
    except RecursionError:
        markdown = body.get_text("\n", strip=True)
    return str(markdown).strip()


class _MarkdownWriter(_CustomMarkdownify):
    """Writes Markdown and escapes pipes, so that they do not end a table's cell."""

    # The casts are there because the library declares no types for these methods.

    def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a cell with its pipes escaped."""
        cell = cast("Any", super()).convert_td(el, _escape_pipes(text), parent_tags)
        return str(cell)

    def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
        """Return a heading cell with its pipes escaped."""
        cell = cast("Any", super()).convert_th(el, _escape_pipes(text), parent_tags)
        return str(cell)


def _escape_pipes(text: str) -> str:
    r"""Return a text with each pipe escaped once: `a|b\|c` -> `a\|b\|c`."""
    return text.replace("\\|", "|").replace("|", "\\|")
