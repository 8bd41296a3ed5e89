"""Compares two runs over the tasks that both played.

A comparison says what changed, by how much, and whether chance explains the change.
`compare_runs` pairs each trial of the first run with a trial of the second in the same
world. Each task then has a mean score in each run. The difference between
the runs is the mean of the tasks' differences, with a paired bootstrap interval over
the tasks. The result is a `Comparison`, which the command line, the report and JUnit
show.
"""
