"""Cells of the table of runs: compared with another solver, whose table has the same colours.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "heat_cell", "input": {"score": 0}, "expect": {"text": "0", "background": "#dc2626"}}
"""

from controlplane.report.page_templates import heat_cell
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("heat_cell")
def color_cell(score: float | None) -> Output:
    """Choose the text and the colour of a score in the table of runs: 0 is red, `#dc2626`."""
    cell = heat_cell(score)
    return {"text": cell.text, "background": cell.background}
