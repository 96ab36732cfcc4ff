"""The chain of one problem: stages as nodes, one after the other, their names, and what is changed in them by hand."""
