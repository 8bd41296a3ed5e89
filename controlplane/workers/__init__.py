"""Works on trials in other processes: forked from the run's own, or started by Dask on this machine or on others.

Both kinds tell the same messages over a socket, run the same loop, and are followed by the same dispatcher.
"""
