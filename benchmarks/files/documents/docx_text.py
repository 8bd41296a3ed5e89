"""Converts DOCX files (Word) to Markdown, with every row of a table complete.

The library markitdown converts DOCX to HTML, and that to Markdown. Its second step would leave
cells empty that a merged cell covers. So it is replaced by the conversion of HTML of this
package (`html_text`), which repeats the merged cell.
"""

from __future__ import annotations

from typing import Any, Final, cast

from markitdown import DocumentConverterResult, StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter

from controlplane.benchmarks.files.documents.html.html_text import html_to_markdown


class _StandardHtmlConverter(HtmlConverter):
    """Makes markitdown's DOCX converter use this module for the HTML that it creates."""

    def convert_string(
        self, html_content: str, *, url: str | None = None, **options: Any
    ) -> DocumentConverterResult:
        """Return the Markdown of HTML."""
        return DocumentConverterResult(markdown=html_to_markdown(html_content))


_docx_converter: Final[Any] = cast("Any", DocxConverter)()  # It has no types.
_docx_converter._html_converter = _StandardHtmlConverter()


def docx_to_markdown(file: Any) -> str:
    """Return the text of a DOCX file as Markdown."""
    return str(_docx_converter.convert(file, StreamInfo(extension=".docx")).markdown)
