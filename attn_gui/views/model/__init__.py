"""The model on the table: its text, its heads layer by layer, and what it predicts. Imports figure and views.

`model_view` all of it together · `head_grid` layers × heads as small maps or numbers · `predictions` the likeliest
tokens, now and before · `token_row` the tokens of a text, and those of another one, whose rows can be taken.
"""
