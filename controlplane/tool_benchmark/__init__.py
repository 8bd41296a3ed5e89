"""Benchmarks of three methods: tasks as data, the world of a trial with its user, and the truth."""
