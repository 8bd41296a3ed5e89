"""What the benchmarks share whose worlds lie in this process: the lifecycle of their runs, and a grader."""
