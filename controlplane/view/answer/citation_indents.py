"""Takes the indents from lines of an answer that look like citations.

Below an answer, this program prints the citations that it has checked, each indented. A model may write
lines of the same form into its answer, as if they were checked.
"""

from __future__ import annotations

from typing import Final

import re2

_BLANKS: Final = (
    r"[ \t\v\f"
    r"\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}"  # Unicode's spaces
    r"]+"
)
_BEGINNING_OF_CITATION: Final = (
    r"\[\d+\]"  # [1]: a footnote
    r"|>"  # > a quotation
    r"|\S*/\S"  # docs/a: a path
    r"|\S+:\S*\d"  # a.md:7: a place in a file
)
_INDENTED_CITATION: Final = re2.compile(rf"(?m)^{_BLANKS}({_BEGINNING_OF_CITATION})")


def without_citation_indents(answer: str) -> str:
    """Return an answer in which lines that look like citations are not indented.

    `"  docs/a.md:7"` -> `"docs/a.md:7"`; a line such as `"  - loans"` keeps its indent.
    """
    text: str = _INDENTED_CITATION.sub(r"\1", answer)
    return text
