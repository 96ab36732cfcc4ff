"""The chain of one problem: stages as nodes, one after the other, and what is changed in them by hand."""
