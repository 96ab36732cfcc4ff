"""All stages at once, a tile each. Imports views.map and views.product."""
