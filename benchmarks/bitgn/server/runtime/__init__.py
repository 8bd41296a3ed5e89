"""The service of a trial's runtime: its files and tools."""
