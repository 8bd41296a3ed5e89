"""Plays trials in other processes: forked from the run's process, or workers of a Dask cluster.

In both cases a thread of the run sees each trial through: it hands the trial over and writes the events that come back.
"""
