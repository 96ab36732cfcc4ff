"""Controllers, actions and start-up: the only package that knows everybody."""
