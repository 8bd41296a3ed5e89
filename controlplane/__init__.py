"""The lifecycle of a run, its journal, its replay and the command line."""
