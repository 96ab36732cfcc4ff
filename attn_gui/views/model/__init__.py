"""The model on the table: its text, its heads layer by layer, and what it predicts. Imports figure and views.

`model_view` all of it together · `head_grid` layers × heads as small maps or numbers · `prediction_list` the likeliest
tokens, now and before · `token_row` the tokens of a text · `second_text` those of another one, whose rows can be taken.
"""
