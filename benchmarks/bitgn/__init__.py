"""The remote platform: a client of its API, and a server that speaks it."""
