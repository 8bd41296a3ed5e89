"""What a run writes to its terminal depends on what the terminal can do.

A usual terminal gets a live picture, which is drawn again and again in colours, and hides the cursor
meanwhile. A dumb one gets plain lines: "2 of 4 trials over after ...".
"""

import re

from tests.controlplane.view.progress.terminals.run_terminals import Terminals

HIDE_CURSOR = b"\x1b[?25l"
"""What a program writes to a terminal to hide the cursor, before it draws a picture again and
again."""


COLOUR = re.compile(rb"\x1b\[[\d;]*3\dm")
"""Finds a code for a colour, such as `\\x1b[1;32m`."""


PLAIN_PROGRESS = b"of 4 trials over after"
"""What a line of progress says in a terminal without a picture."""


def written_by_run(terminals: Terminals, **variables: str) -> bytes:
    """Return the bytes that a run of four trials writes to its terminal."""
    with terminals.run(trials=4, call_time_s=0.1, **variables) as terminal:
        assert terminal.finish() == 0
        return terminal.written


def test_a_terminal_gets_a_live_picture_in_colours(terminals: Terminals) -> None:
    written = written_by_run(terminals)

    assert HIDE_CURSOR in written
    assert COLOUR.search(written)
    assert PLAIN_PROGRESS not in written


def test_the_variable_no_color_takes_the_colours_away(terminals: Terminals) -> None:
    """NO_COLOR is a convention of many programs. The picture stays live."""
    written = written_by_run(terminals, NO_COLOR="1")

    assert HIDE_CURSOR in written
    assert not COLOUR.search(written)
    assert PLAIN_PROGRESS not in written


def test_a_dumb_terminal_gets_plain_lines_of_progress(terminals: Terminals) -> None:
    """It cannot move its cursor, and gets no escape sequence at all."""
    written = written_by_run(terminals, TERM="dumb")

    assert PLAIN_PROGRESS in written
    assert b"\x1b" not in written
