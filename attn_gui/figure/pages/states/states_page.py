"""Page of states side by side: up to nine snapshots of a stage with common levels, or any two and their difference."""

from __future__ import annotations

from collections.abc import Mapping

from attn_gui.engine import STAGE, Evaluation
from attn_gui.engine.errors import ShapeError, StageError
from attn_gui.engine.evaluation.proxies import difference_of, stand_in
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.progress import Tell, within
from attn_gui.figure.comparing.states import NOW
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.knobs import Values as Chosen
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.states.states_layout import StateMap, States, StatesLayout
from attn_gui.figure.products.operands import stage_plane
from attn_gui.figure.reading import pooled_map
from attn_gui.figure.text.page_words import Words, page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.snapshots import Snapshot

MOST = 9
"""States on one sheet."""
SIDE = 192
"""Blocks of a map at most, by side."""
SEVERAL, PAIR = "several", "pair"
SHOWN = {
    SEVERAL: page_words(QT_TRANSLATE_NOOP("Pages", "up to nine")),
    PAIR: page_words(QT_TRANSLATE_NOOP("Pages", "two, and their difference")),
}
NOW_WORDS = QT_TRANSLATE_NOOP("Pages", "now")


def _named(aim: Aim) -> dict[str, Snapshot | None]:
    """The states by their keys, the oldest first; the present one is the last, under a key that no snapshot has."""
    kept, now = {each.name: each for each in aim.states}, NOW
    while now in kept:
        now += "*"
    return {**kept, now: None}


def _words(key: str, snapshot: Snapshot | None) -> Words:
    return page_words(NOW_WORDS) if snapshot is None else (("", key),)


def _choices(aim: Aim, _values: Chosen) -> Mapping[str, Words]:
    return {key: _words(key, snapshot) for key, snapshot in _named(aim).items()}


def _latest(aim: Aim, _values: Chosen) -> Mapping[str, Words]:
    return {key: _words(key, snapshot) for key, snapshot in reversed(_named(aim).items())}


class StatesPage(PageKind[States]):
    """Shows the stage on show, of the head on show, in states that were kept."""

    name = "side_by_side"
    title = QT_TRANSLATE_NOOP("Pages", "Snapshots side by side")
    words = "small multiples compare states versions sheet difference 快照 并排 对比 状态 小图"
    knobs = (
        Choice("shown", QT_TRANSLATE_NOOP("Pages", "shown"), lambda aim, values: SHOWN),
        Choice("first", QT_TRANSLATE_NOOP("Pages", "from"), _choices),
        Choice("second", QT_TRANSLATE_NOOP("Pages", "to"), _latest),
    )

    def is_quick(self, aim: Aim) -> bool:
        return False

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> States:
        keys, named = _asked_for(aim), _named(aim)
        maps: list[StateMap] = []
        missing: list[Words] = []
        kept: list[Evaluation] = []
        pair = aim.knobs["shown"] == PAIR
        for number, key in enumerate(keys):
            snapshot = named[key]
            state = evaluation if snapshot is None else evaluation_of(snapshot.problem())
            words = _words(key, snapshot)
            found = _map(words, state, aim, within(tell, number, len(keys) + pair))
            maps += [] if found is None else [found]
            missing += [words] if found is None else []
            kept += [state] if pair else []
        both = pair and len(maps) == 2
        difference = None
        if both and maps[0].shape == maps[1].shape:
            difference = _difference(kept[0], kept[1], aim, within(tell, len(keys), len(keys) + 1))
        plane = stage_plane(evaluation, stand_in(evaluation, aim.stage), aim.batch, aim.head)
        return States(
            aim.stage,
            aim.head,
            1 if plane.head is None else evaluation.problem.num_heads,
            tuple(maps),
            difference,
            tuple(missing),
            plane.signed,
            alone=not aim.states,
            apart=both and difference is None,
        )

    def plan(self, content: States, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return StatesLayout(content, ink, width, height).drawing()


def _asked_for(aim: Aim) -> list[str]:
    """The keys of the states to show, in order."""
    keys, first, second = list(_named(aim)), aim.knobs["first"], aim.knobs["second"]
    if aim.knobs["shown"] == PAIR:
        return list(dict.fromkeys((first, second)))
    low, high = sorted((keys.index(first), keys.index(second)))
    return keys[low : high + 1][:MOST] if high - low < MOST else [*keys[low : low + MOST - 1], keys[high]]


def _map(words: Words, state: Evaluation, aim: Aim, tell: Tell) -> StateMap | None:
    """The map of one state; None where it has none."""
    problem = state.problem
    if aim.batch >= problem.batch_size:
        return None
    try:
        plane = stage_plane(state, stand_in(state, aim.stage), aim.batch, aim.head)
    except StageError:
        return None
    if plane.head is not None and plane.head >= problem.num_heads:
        return None
    return StateMap(words, *pooled_map(plane, SIDE, tell), plane.shape)


def _difference(before: Evaluation, after: Evaluation, aim: Aim, tell: Tell) -> StateMap | None:
    """The second of two states that have the map less the first; None where the shapes of the stage differ."""
    shown = max((stand_in(state, aim.stage) for state in (before, after)), key=list(STAGE).index)
    try:
        plane = stage_plane(difference_of(before, after), shown, aim.batch, aim.head)
    except ShapeError:
        return None
    return StateMap((), *pooled_map(plane, SIDE, tell), plane.shape)
