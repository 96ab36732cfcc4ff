"""Studies of a model: a text, the layer on the table, and what is changed by hand in all of them."""
