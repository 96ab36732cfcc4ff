"""Pages of tokens that relate to one another: by attention, and by what they mean before and after it."""
