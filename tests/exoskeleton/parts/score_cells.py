"""Answers to recorded cases about the cells of the table of runs.

    heat_cell   the score 0 -> the text "0" on red

A case is a recorded input of another solver with its output. `@answers_part` marks the function that
answers the cases of one part: it gets the input by its keys, and returns this project's output.
"""

from controlplane.report.score_colours import heat_cell
from tests.exoskeleton.recorded_cases import Output, answers_part


@answers_part("heat_cell")
def color_cell(score: float | None) -> Output:
    """Choose the text and the colour of a score in the table of runs: 0 is red, `#dc2626`."""
    cell = heat_cell(score)
    return {"text": cell.text, "background": cell.background}
