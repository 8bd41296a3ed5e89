"""The rows of tables in the Markdown that an HTML page becomes.

`markdown_rows("<table><tr><th>Room<tr><td>Alder</table>")` is
`["| Room |", "| --- |", "| Alder |"]`.
"""

from controlplane.benchmarks.files.documents.document_texts import html_to_markdown


def markdown_rows(html: str) -> list[str]:
    """Return the lines of the Markdown that are rows of tables: `| Alder | 12 |`."""
    lines = html_to_markdown(html).splitlines()
    return [line for line in lines if line.startswith("|")]
