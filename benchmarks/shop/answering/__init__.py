"""Corrects and completes the answer that a model has drafted for a request to a shop.

The draft (`draft`) gets what functions have computed (`findings`). Its citations are completed,
checked and sorted (`final_references`): policies (`task_policies`), and records without those
that it is not about (`unrelated_records`).
"""
