"""The pages of the documentation, and the commands, code and tables on them.

A page marks what tests take from it: every command in a block that begins with three backquotes and
`sh` has to run, and a block after `<!-- module: loans.py -->` is the content of a file of that
name.
"""

import re

from tests.support.product_files import ROOT

DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"


def read_page(name: str) -> str:
    """Return the text of a page in `docs`, such as `gates.md`."""
    return (DOCS / name).read_text(encoding="utf-8")


README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE_PAGE = read_page("architecture.md")
BENCHMARKS_PAGE = read_page("benchmarks.md")
GATES_PAGE = read_page("gates.md")
LIBRARY_PAGE = read_page("library.md")
MODELS_PAGE = read_page("models.md")
RECIPES_PAGE = read_page("recipes.md")

SCRIPTED_REPLIES_SECTION = MODELS_PAGE.partition("## Scripted replies")[2]

WORDBOOK_BENCHMARK = (EXAMPLES / "wordbook.py").read_text(encoding="utf-8")
"""An example of a benchmark with two tasks: what do the words heron and otter mean?"""


def blocks(text: str, kind: str) -> list[str]:
    """Return the contents of the fenced blocks that begin with a line such as "sh" or "sh skip"."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def shell_lines(text: str) -> list[str]:
    """Return the commands in the `sh` blocks of a page, without comments.

    Blocks that begin with `sh skip` or `sh inspect` are not among them.
    """
    lines: list[str] = []
    for block in blocks(text, "sh"):
        for line in block.splitlines():
            command = line.split("#")[0].strip()
            if command:
                lines.append(command)
    return lines


def code_after(mark: str, page: str) -> str:
    """Return the first block of Python after a mark such as `<!-- module: loans.py`."""
    _, _, text_after_mark = page.partition(mark)
    return blocks(text_after_mark, "python")[0]


def table_rows(page: str) -> list[list[str]]:
    """Return the cells of each line that is a row of a table."""
    rows: list[list[str]] = []
    for line in page.splitlines():
        if line.startswith("| "):
            rows.append(line.strip("| ").split(" | "))
    return rows
