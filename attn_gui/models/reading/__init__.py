"""Folders of published checkpoints: config, mapped tensors, tokenizer. Imports formats and NumPy."""
