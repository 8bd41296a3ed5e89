"""Plays trials in other processes, the workers of a Dask cluster.

A thread of the run sees each trial through: it hands the trial over and writes the events that come back.
"""
