"""The product picture as a figure."""
