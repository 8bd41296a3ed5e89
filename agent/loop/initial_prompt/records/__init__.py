"""Tells the model how to read the tables and JSON files that the request or the rules name."""
