"""Trials on other machines: what is shipped there, the channel by which their events come back, and Dask's executor."""
