"""The remote platform: a client for its API, and a server with the same API.

Use it as `bitgn:<benchmark id>`, or as `bitgn` with the variable BENCH_ID. BITGN_HOST
is the platform's address, and BITGN_API_KEY the key.
"""
