"""Benchmarks whose worlds are in this process: their runs, their environments, the grader of an end."""
