"""Finds what a message discloses: values, numbers, states of records, and who works here.

No model is involved. The languages are English, German and Dutch.
"""
