"""What is computed: problems, stages, evaluation, explanation. Imports NumPy and nothing of Qt."""
