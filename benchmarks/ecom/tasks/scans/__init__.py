"""Scanned papers: sales slips and purchase requests, with the errors that scanners make."""
