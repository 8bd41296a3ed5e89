"""The rows of the list of runs that `controlplane view` shows, the page "/".

For example:

    rows_of_runs(view)    ->    ['... <a href="/runs/a">first</a> ... finished ...', ...]
"""

from tests.controlplane.report.served_pages import RunningView


def rows_of_runs(view: RunningView) -> list[str]:
    """Return the rows of the list, each as HTML in one line."""
    start_of_row = '<tr role="row" data-is='
    _, *rows = view.text("/").split(start_of_row)
    return [" ".join(row.split()) for row in rows]
