"""Adapters to benchmarks, loaded by name."""
