"""Text in figures and maps: fonts, labels, formats of numbers, words in both languages. Imports QtGui."""
