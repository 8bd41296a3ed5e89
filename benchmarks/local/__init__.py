"""Shared parts of benchmarks whose worlds are in this process: the lifecycle of their runs, and a grader."""
