"""Reads requests to a shop by their words alone.

What a request asks for (`basket_requests`, `payment_requests` and others, each with some
kinds of requests), the date that it means (`request_dates`), the form of the answer that it
wants (`answer_templates`), and text in it that poses as an instruction of the system
(`posed_instructions`).
"""
