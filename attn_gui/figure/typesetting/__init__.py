"""Formulas drawn from their LaTeX: reader, layout by the rules of TeX, glyphs. Imports paths and QtGui."""

from attn_gui.figure.typesetting.reader import Formula, typeset

__all__ = ["Formula", "typeset"]
