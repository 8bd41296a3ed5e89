"""Shows a run or a question while it happens: on a terminal, in a notebook, in plain lines."""
