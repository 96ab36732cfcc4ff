"""The dialog New problem: its kind (Q, K, V or X), sizes, first mask, numbers to fill with, sentence for tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.sentence_tokens import row_names, split_tokens
from attn_gui.engine import FILLS, layer_from_mapping
from attn_gui.engine.creation.create import KINDS, new_fields
from attn_gui.engine.creation.layer_parts import SEEDED
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.engine.masks import MASKS
from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.dialog_base import AnswerButtons, FormDialog
from attn_gui.views.dialogs.form_fields import lay_out
from attn_gui.views.names import mask_about, mask_name
from attn_gui.views.text_views import SentenceRun, SentenceView, scripts_markup
from attn_gui.views.theme import scaled
from attn_gui.views.widgets import ChoiceBox, LineEdit, arrange

SIZES = {"n": 4096, "m": 4096, "num_heads": 256, "d_k": 1024, "d_v": 1024}  # the largest that a form should offer
NO_MASK = "none"
WIDTH = 320  # logical pixels of the words below the fields


@dataclass(frozen=True)
class NewChoice:
    """The arguments of `new_fields`."""

    kind: str = "direct"
    n: int = 4
    m: int = 5
    num_heads: int = 2
    d_k: int = 3
    d_v: int = 3
    d_model: int | None = None
    fill: str = "integers"
    seed: int = 0
    mask: str = NO_MASK
    tokens: tuple[str, ...] = ()

    def fields(self) -> dict[str, Any]:
        """Return the fields of the problem that is chosen."""
        sizes = {name: getattr(self, name) for name in ("n", "m", "num_heads", "d_k", "d_v", "d_model")}
        found = new_fields(self.kind, **sizes, fill=self.fill, seed=self.seed)
        mask = {"mask": (layer_from_mapping({"kind": self.mask}),)} if self.mask != NO_MASK else {}
        return found | mask | row_names(self.tokens, self.n, self.m, self.kind == "self")

    def shapes(self) -> tuple[tuple[str, int, int], ...]:
        """Return (symbol, rows, columns) of every matrix that will be there to edit."""
        query, value = self.num_heads * self.d_k, self.num_heads * self.d_v
        if self.kind == "direct":
            return ("Q", self.n, query), ("K", self.m, query), ("V", self.m, value)
        width = self.d_model or query
        sequences = [("X", self.n, width)]
        if self.kind == "cross":
            sequences.append((symbol("context"), self.m, width))
        return *sequences, ("W_Q", width, query), ("W_K", width, query), ("W_V", width, value)


class NewDialog(FormDialog):
    """Asks for a new problem and says in words what it will be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.new")
        self.sentence, self._kinds = LineEdit(self), QButtonGroup(self)  # made in the order of Tab
        self.radios = {kind: QRadioButton(self) for kind in KINDS}
        self.boxes = {name: CountBox(self, maximum=largest) for name, largest in SIZES.items()}
        self.fill, self.seed = ChoiceBox(FILLS, self), CountBox(self, minimum=0, maximum=999_999)
        self.masks = {kind: QRadioButton(self) for kind in (NO_MASK, *_simple_masks())}
        self.masks[NO_MASK].setChecked(True)
        self._mask = _in_a_row(self.masks.values(), self)
        self.d_model = CountBox(self, maximum=SIZES["num_heads"] * SIZES["d_k"])
        self._own_m = NewChoice().m  # kept while self-attention shows n in its place
        self._typed: set[str] = set()  # of d_model, d_k and d_v: those that do not follow from the others
        self._labels = {name: QLabel(self) for name in (*SIZES, "d_model", "fill", "seed", "mask", "sentence")}
        self._what, self._shapes = SentenceView(self, size="body"), SentenceView(self, size="body")
        self.buttons = AnswerButtons(self, self.tr("Create"))
        self._build()
        self._say()
        self.set_state({})

    def state(self) -> dict[str, object]:
        """Return the present choice as a mapping that can be kept in the settings."""
        kept = asdict(self.result_choice()) | {"m": self._own_m}
        del kept["tokens"]
        return kept

    def set_state(self, state: Mapping[str, object]) -> None:
        """Take up an earlier choice; what is missing or no longer possible keeps its first value."""
        known = asdict(NewChoice()) | {name: value for name, value in state.items() if _is_possible(name, value)}
        self._own_m = known["m"]
        self.radios[known["kind"]].setChecked(True)
        for name, box in self.boxes.items():
            box.setValue(known[name])
        self.fill.set_key(known["fill"])
        self.seed.setValue(known["seed"])
        self.masks[known["mask"]].setChecked(True)
        self._typed = {"d_v"} if known["d_v"] != known["d_k"] else set()
        if known["d_model"] is not None:
            with QSignalBlocker(self.d_model):
                self.d_model.setValue(known["d_model"])
            self._typed |= {"d_model", "d_k"}
        self._show_choice()

    def result_choice(self) -> NewChoice:
        """Return the present choice; in self-attention m is n."""
        sizes = {name: box.value() for name, box in self.boxes.items()}
        kind = next(kind for kind, radio in self.radios.items() if radio.isChecked())
        sizes["m"] = sizes["n"] if kind == "self" else self._own_m
        width = self.d_model.value() if self._is_free() else None
        return NewChoice(
            kind=kind,
            fill=self.fill.currentData(),
            seed=self.seed.value(),
            mask=next(kind for kind, radio in self.masks.items() if radio.isChecked()),
            tokens=split_tokens(self.sentence.text()),
            d_model=None if width == sizes["num_heads"] * sizes["d_k"] else width,
            **sizes,
        )

    def _say(self) -> None:
        """Set the words of all fields."""
        self.setWindowTitle(self.tr("New problem"))
        self.radios["direct"].setText(self.tr("Q, K, V directly"))
        self.radios["self"].setText(self.tr("Self-attention from X"))
        self.radios["cross"].setText(self.tr("Cross-attention from X and a second sequence X₂"))
        labels = {
            "n": self.tr("queries n"),
            "m": self.tr("keys m"),
            "num_heads": self.tr("heads"),
            "d_k": "dₖ",
            "d_v": "dᵥ",
            "fill": self.tr("filled with"),
            "seed": self.tr("seed"),
            "d_model": self.tr("d_model, all heads"),
            "mask": self.tr("mask"),
            "sentence": self.tr("sentence"),
        }
        for name, text in labels.items():
            self._labels[name].setText(scripts_markup(text))
        names = {
            "d_k": self.tr("d_k, width of a query and a key in one head"),
            "d_v": self.tr("d_v, width of a value in one head"),
            "d_model": self.tr("d_model, width of all heads together"),
        }
        for name, label in self._labels.items():
            label.buddy().setAccessibleName(names.get(name, labels[name]))
        fills = {
            "integers": self.tr("small integers"),
            "random": self.tr("random numbers"),
            "identity": self.tr("identity"),
            "zeros": self.tr("zeros"),
        }
        self.fill.set_words(fills)
        for kind, radio in self.masks.items():
            radio.setText(self.tr("none") if kind == NO_MASK else mask_name(kind))
            radio.setToolTip(self.tr("Every query may read every key") if kind == NO_MASK else mask_about(kind))
        self.sentence.setPlaceholderText(self.tr("Its tokens set n and name the rows"))
        self.d_model.setToolTip(
            self.tr("d_model = heads · dₖ: once it is typed, dₖ follows; of an X both can be typed")
        )
        self.boxes["d_v"].setToolTip(self.tr("As wide as dₖ until it is typed"))
        self.seed.setToolTip(self.tr("The same seed gives the same numbers again"))

    def _build(self) -> None:
        for kind, radio in self.radios.items():
            radio.setObjectName(f"new.{kind}")
            self._kinds.addButton(radio)
            radio.toggled.connect(self._show_choice)
        sentence = self._grid([("sentence",)])
        kinds = arrange(QVBoxLayout(), *self.radios.values(), spacing=SPACING.s)
        sizes = self._grid([("n", "m", "mask"), ("num_heads", "d_model"), ("d_k", "d_v"), ("fill", "seed")])
        self._connect()
        for line in (self._shapes, self._what):
            line.resize(scaled(WIDTH), line.height())  # its height is asked for before it is laid out
        words = arrange(QVBoxLayout(), self._shapes, self._what, spacing=SPACING.xs)
        arrange(
            QVBoxLayout(self), sentence, kinds, sizes, words, 1, self.buttons, margins=SPACING.xl, spacing=SPACING.l
        )
        self._shapes.setObjectName("new.shapes")

    def _grid(self, rows: Sequence[Sequence[str]]) -> QGridLayout:
        grid = QGridLayout()
        wide = {"fill": 2, "sentence": 3}
        lay_out(grid, [[(self._labels[name], self._editor(name), wide.get(name, 1)) for name in row] for row in rows])
        for at in range(3):
            grid.setColumnStretch(at, 1)
        return grid

    def _connect(self) -> None:
        changed = {"m": self._on_keys_changed, "d_k": self._on_d_k_changed, "d_v": self._on_d_v_changed}
        for name, box in self.boxes.items():
            box.valueChanged.connect(changed.get(name, self._show_choice))
        self.fill.currentIndexChanged.connect(self._show_choice)
        self.sentence.textChanged.connect(self._on_sentence_changed)
        self.d_model.valueChanged.connect(lambda _width: self._take_width("d_model", "d_k"))
        for name, label in self._labels.items():
            label.setBuddy(self._editor(name))
            self._editor(name).setObjectName(f"new.{name}")
        for kind, radio in self.masks.items():
            radio.setObjectName(f"new.mask.{kind}")
        self.sentence.setFocus()

    def _editor(self, name: str) -> QWidget:
        others: dict[str, QWidget] = {"fill": self.fill, "seed": self.seed, "mask": self._mask}
        others |= {"sentence": self.sentence, "d_model": self.d_model}
        return others.get(name) or self.boxes[name]

    def _on_sentence_changed(self, _text: str) -> None:
        """Set as many rows as there are tokens."""
        if count := len(self.result_choice().tokens):
            self.boxes["n"].setValue(count)
            if self.boxes["m"].isEnabled():
                self.boxes["m"].setValue(count)
        self._show_choice()

    def _on_d_k_changed(self, _width: int) -> None:
        self._take_width("d_k", "d_model")

    def _take_width(self, typed: str, other: str) -> None:
        """Let the other width follow from now on; of an X both may have been typed."""
        self._typed = self._typed - ({other} if self.radios["direct"].isChecked() else set()) | {typed}
        self._show_choice()

    def _is_free(self) -> bool:
        """Return whether X is to have a width of its own."""
        return not self.radios["direct"].isChecked() and {"d_model", "d_k"} <= self._typed

    def _on_d_v_changed(self, _width: int) -> None:
        self._typed.add("d_v")
        self._show_choice()

    def _share(self) -> str:
        """Let dₖ follow from a typed d_model, or d_model from dₖ, where not both were typed of an X; and dᵥ that was
        not typed from dₖ. Return why it cannot."""
        heads, width = self.boxes["num_heads"].value(), self.d_model.value()
        if "d_model" not in self._typed or "d_k" in self._typed:
            with QSignalBlocker(self.d_model):
                self.d_model.setValue(width if self._is_free() else heads * self.boxes["d_k"].value())
            self._follow({"d_v"}, self.boxes["d_k"].value())
            return ""
        if width % heads:
            return self.tr("{heads} heads cannot share d_model = {width} evenly.").format(heads=heads, width=width)
        if (most := SIZES["d_k"]) < width // heads:
            said = self.tr("d_model = {width} takes at least {heads} heads, as dₖ is at most {most}.")
            return said.format(width=width, heads=-(-width // most), most=most)
        self._follow({"d_k", "d_v"}, width // heads)
        return ""

    def _follow(self, names: set[str], width: int) -> None:
        """Set those of these widths that were not typed."""
        for name in names - self._typed:
            with QSignalBlocker(self.boxes[name]):
                self.boxes[name].setValue(width)

    def _on_keys_changed(self, keys: int) -> None:
        if self.boxes["m"].isEnabled():
            self._own_m = keys
        self._show_choice()

    def _show_choice(self) -> None:
        """Show the present choice in words; one that cannot be made is not offered."""
        refusal, choice = self._share(), self.result_choice()
        follows = choice.kind == "self"
        keys = self.boxes["m"]
        keys.setEnabled(not follows)
        keys.setToolTip(self.tr("In self-attention the keys are the rows of X too") if follows else keys.whatsThis())
        with QSignalBlocker(keys):
            keys.setValue(choice.m)
        self.buttons.ok.setEnabled(not refusal)
        self.seed.setEnabled(choice.fill in SEEDED)
        shapes = [f"{symbol} {rows} × {columns}" for symbol, rows, columns in choice.shapes()]
        self._shapes.set_sentence([SentenceRun("" if refusal else self.tr(", ").join(shapes), strong=True)])
        said = self.tr("d_model = heads · dₖ = {heads} · {d_k}. Scores of each head: {n} × {m}. Output: {n} × {width}.")
        if choice.d_model is not None:
            said = self.tr("X is {d_model} wide. Scores of each head, dₖ = {d_k}: {n} × {m}. Output: {n} × {width}.")
        values = {"heads": choice.num_heads, "d_k": choice.d_k, "n": choice.n, "m": choice.m, "d_model": choice.d_model}
        lines = [said.format(**values, width=choice.num_heads * choice.d_v)]
        if (count := len(choice.tokens)) > choice.n:
            left = self.tr("{count} tokens for {n} rows: the last {left} are left out.")
            lines.append(left.format(count=count, n=choice.n, left=count - choice.n))
        self._what.set_sentence([SentenceRun(refusal or "\n".join(lines), "text2")])


def _in_a_row(buttons: Iterable[QRadioButton], parent: QWidget) -> QWidget:
    """Lay out buttons beside each other, of which one is chosen."""
    holder = QWidget(parent)
    arrange(QHBoxLayout(holder), *buttons, 1, margins=0, spacing=SPACING.s)
    return holder


def _simple_masks() -> tuple[str, ...]:
    """Return the mask layers that need no number and no table of their own."""
    return tuple(kind for kind, layer in MASKS.items() if not layer.first(1, 1, 1))


def _is_possible(name: str, value: object) -> bool:
    choices = {"kind": KINDS, "fill": FILLS, "mask": (NO_MASK, *_simple_masks())}
    if name in choices:
        return value in choices[name]
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    most = SIZES | {"d_model": SIZES["num_heads"] * SIZES["d_k"]}
    return 0 <= value <= 999_999 if name == "seed" else 1 <= value <= most.get(name, 0)
