"""Pages: pictures of more than one stage, beside the maps and in files alike; `figure.figure_kinds` lists them."""
