"""Solves trials of the embedded shop from their files alone: request, files, `/bin/id` and `/bin/date` in, answer out.

It is written from what pages, records and requests say, and imports nothing of the code that makes, grades or plays
them.
"""
