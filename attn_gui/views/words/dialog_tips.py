"""Tips of the controls in dialogs, by their object names; what depends on a choice the dialog says itself."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog, QWidget

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

TIPS = {
    "new.direct": QT_TRANSLATE_NOOP("DialogTips", "Tables of Q, K and V themselves: S = Q Kᵀ reads them as they are"),
    "new.self": QT_TRANSLATE_NOOP("DialogTips", "A table X and its projections: Q = X W_Q, K = X W_K, V = X W_V"),
    "new.cross": QT_TRANSLATE_NOOP("DialogTips", "Queries from X, keys and values from C: K = C W_K, V = C W_V"),
    "new.n": QT_TRANSLATE_NOOP("DialogTips", "How many queries: rows of Q, of S, of A and of O"),
    "new.m": QT_TRANSLATE_NOOP("DialogTips", "How many keys: rows of K and V, columns of S and A"),
    "new.num_heads": QT_TRANSLATE_NOOP(
        "DialogTips", "How many heads: each has dₖ columns of Q and K and weights of its own"
    ),
    "new.d_k": QT_TRANSLATE_NOOP("DialogTips", "Columns of Q and K in one head; scores are divided by √dₖ"),
    "new.d_v": QT_TRANSLATE_NOOP("DialogTips", "Columns of V in one head, and so of its output O = A V"),
    "new.mask": QT_TRANSLATE_NOOP(
        "DialogTips", "Which keys a query may see from the start; masks can be added later, too"
    ),
    "new.sentence": QT_TRANSLATE_NOOP("DialogTips", "Its words become the names of the rows, and their number n"),
    "export.folder": QT_TRANSLATE_NOOP("DialogTips", "The folder that the files are written into; it has to be there"),
    "export.browse": QT_TRANSLATE_NOOP("DialogTips", "Look for a folder"),
    "export.name": QT_TRANSLATE_NOOP(
        "DialogTips", "What the names of the files begin with, or the name of the only one"
    ),
    "export.item": QT_TRANSLATE_NOOP("DialogTips", "Which item of the batch, counted from 0"),
    "export.format": QT_TRANSLATE_NOOP("DialogTips", "The kind of file; what it holds stands beside its name"),
    "export.picture": QT_TRANSLATE_NOOP(
        "DialogTips", "What is drawn: the map alone, or with the matrices that it is made of"
    ),
    "export.compare": QT_TRANSLATE_NOOP(
        "DialogTips", "Which of two states: now, before, their difference, or both halves"
    ),
    "export.which_heads": QT_TRANSLATE_NOOP("DialogTips", "The head on show, all of them, or some by their numbers"),
    "export.arrangement": QT_TRANSLATE_NOOP(
        "DialogTips", "A file for each head, or one with all of them under the same colors"
    ),
    "export.values": QT_TRANSLATE_NOOP("DialogTips", "Whether the numbers stand in the cells"),
    "export.theme": QT_TRANSLATE_NOOP("DialogTips", "Light on white for paper, dark for a screen"),
    "export.colormap": QT_TRANSLATE_NOOP("DialogTips", "The colors from the lowest level to the highest"),
    "export.which_levels": QT_TRANSLATE_NOOP(
        "DialogTips", "The numbers at the two ends of the colors: those of the window, of each map, or typed"
    ),
    "export.style": QT_TRANSLATE_NOOP(
        "DialogTips", "Size and type for a place: a screen, a column of a paper, a slide"
    ),
    "export.width": QT_TRANSLATE_NOOP(
        "DialogTips", "Width of the figure in centimeters; left empty, cells of at least 0.5 cm"
    ),
    "export.height": QT_TRANSLATE_NOOP(
        "DialogTips", "Height of the figure in centimeters; left empty, it follows from the width"
    ),
    "export.font_size": QT_TRANSLATE_NOOP("DialogTips", "Size of the type in points, as on the paper"),
    "export.dpi": QT_TRANSLATE_NOOP("DialogTips", "Pixels for each inch (2.54 cm): 300 for print, 150 for a screen"),
    "export.colorbar": QT_TRANSLATE_NOOP("DialogTips", "Draw beside the map which color stands for which number"),
    "export.transparent": QT_TRANSLATE_NOOP("DialogTips", "No ground behind the figure: what lies below it shows"),
    "export.session": QT_TRANSLATE_NOOP(
        "DialogTips", "The figure carries the problem, so that it can be opened again from it"
    ),
    "export.bom": QT_TRANSLATE_NOOP(
        "DialogTips", "Three bytes at the start of the file by which Excel knows the letters"
    ),
    "export.headers": QT_TRANSLATE_NOOP(
        "DialogTips", "A first row and a first column with the names of queries, keys and columns"
    ),
    "tokens.side": QT_TRANSLATE_NOOP("DialogTips", "Whose names these are: of the queries, of the keys, or of both"),
    "tokens.resize_rows": QT_TRANSLATE_NOOP(
        "DialogTips", "One row of numbers for each token: new ones are zeros, the last ones go"
    ),
    "target.value": QT_TRANSLATE_NOOP("DialogTips", "The number that the chosen cell shall have"),
    "target.query": QT_TRANSLATE_NOOP(
        "DialogTips", "The smallest change of the query's row of Q, or of X, that reaches it"
    ),
    "target.key": QT_TRANSLATE_NOOP(
        "DialogTips", "The smallest change of the key's row of K, or of C, that reaches it"
    ),
    "target.bias": QT_TRANSLATE_NOOP(
        "DialogTips", "A number added to the scores of the row: Sᵐ = S′ + M; tables stay as they are"
    ),
    "target.odds": QT_TRANSLATE_NOOP(
        "DialogTips", "Whether the other weights of the row keep their ratios to each other"
    ),
    "ask.answer": QT_TRANSLATE_NOOP("DialogTips", "Type the answer; Enter takes it, Esc leaves everything as it is"),
    "take.axis": QT_TRANSLATE_NOOP("DialogTips", "From where: another head, row, column or item"),
    "take.place": QT_TRANSLATE_NOOP(
        "DialogTips", "Which one, counted from 0; the cells are taken as they are computed there"
    ),
    "palette.search": QT_TRANSLATE_NOOP(
        "DialogTips", "A part of a name, a menu or another word for it, in either language"
    ),
    "worksheets.count": QT_TRANSLATE_NOOP("DialogTips", "How many sheets, one for each student; no two are alike"),
    "worksheets.seed": QT_TRANSLATE_NOOP("DialogTips", "The same seed gives the same sheets again"),
    "worksheets.blanks": QT_TRANSLATE_NOOP("DialogTips", "How many numbers are left out on each sheet"),
    "worksheets.lang": QT_TRANSLATE_NOOP("DialogTips", "The language of the sheets"),
    "worksheets.name": QT_TRANSLATE_NOOP("DialogTips", "What the names of the files begin with"),
    "worksheets.keys": QT_TRANSLATE_NOOP("DialogTips", "Write the answers, too, into a file of their own"),
}


def give_tips(dialog: QDialog) -> None:
    """Tell tips of its controls in the present language, as What's This, too; a tip of their own stays."""
    for control in dialog.findChildren(QWidget):
        tip = TIPS.get(control.objectName())
        if tip and not control.toolTip():
            control.setToolTip(QCoreApplication.translate("DialogTips", tip))
        if not control.whatsThis():
            control.setWhatsThis(control.toolTip())
