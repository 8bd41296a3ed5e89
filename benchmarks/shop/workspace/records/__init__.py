"""The records of a workspace, which are JSON files such as `/proc/carts/basket_0001.json`.

Shops choose the names of folders and fields. So records are grouped by their paths
(`record_groups`), and a few are read to learn the names of fields (`learned_keys`).
"""
