"""The remote platform: a client of its API, and a server that speaks it.

`bitgn:<benchmark id>`, or `bitgn` with BENCH_ID. BITGN_HOST names the platform, BITGN_API_KEY holds the key for it.
"""
