"""Functions of the toolkit as a shop's scripts call them: `harness.tools.NAME`."""
