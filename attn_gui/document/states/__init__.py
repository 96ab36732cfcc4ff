"""States of the open document beside the present one: those that were kept, and those that it has gone through."""
