"""Formulas drawn from their LaTeX: reader, layout by the rules of TeX, glyphs. Imports figure, paths and Qt."""

from attn_gui.views.typesetting.reader import Formula, typeset

__all__ = ["Formula", "typeset"]
