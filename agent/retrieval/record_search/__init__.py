"""Finds the records that fit a request, which are files about one case, and scores them."""
