"""Pages: pictures of more than one stage, beside the maps and in files alike; `figure.page_catalog` lists them."""
