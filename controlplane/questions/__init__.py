"""Questions about files: the files that a question covers, its run, and the question after it.

Every question is a run of the benchmark `files` with one trial. The command `ask` and
the function `controlplane.ask` use this package.
"""
