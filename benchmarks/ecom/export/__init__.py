"""Writes tasks of the embedded world as folders of plain files, which `folder:DIR` plays."""
