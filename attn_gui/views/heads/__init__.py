"""All heads at a glance: a small map of the weights of each. Imports engine, figure and views.

`strip` the zone below the product picture · `thumb` one head in it, with the number that was chosen for all of them.
"""
