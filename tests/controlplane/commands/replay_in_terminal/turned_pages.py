"""Turns the pages that `replay` shows in a terminal.

For example:

    page_after("n", terminal)    ->    "loan.1 · step 1 of 3 · score 0.00 ..."
"""

from tests.support.terminal import Terminal


def page_after(key: str, terminal: Terminal) -> str:
    """Press a key, and return the page or the notice that is then shown."""
    terminal.screen.reset()
    terminal.type(key)
    return terminal.wait_for(r"q quit\s*$")
