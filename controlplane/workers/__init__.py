"""Works on trials in other processes: forked from the run's process, or started by Dask on this or other machines.

Both kinds exchange the same messages over a socket, run the same loop, and serve the same dispatcher.
"""
