"""Plays trials in other processes, the workers of a Dask cluster: each trial is a future."""
