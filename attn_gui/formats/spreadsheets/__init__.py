"""Workbooks that compute a problem themselves. Imports engine, openpyxl when one is written.

`cell_formulas` the formula of a cell from its expression · `closed_cells` −∞ · `boards` where the cells stand ·
`workbook` the whole.
"""
