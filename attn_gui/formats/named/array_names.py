"""Names of arrays guessed as Q, K, V, weights, mask (q_proj, q_nope …), or known as a problem's own fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from attn_gui.engine.fields import DIRECT, GIVEN, MATRICES, WEIGHTS
from attn_gui.engine.masks import Padding
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.file_format import ArrayListing, FileSource, ListedArray, Loaded
from attn_gui.formats.file_messages import AmbiguousFile, FileNote, FormatError, shown
from attn_gui.formats.named.weight_layouts import FUSED, known_split, parts_of
from attn_gui.formats.problem_fields import assemble, cells_in_lists, is_field, is_option, is_result, listed, notes_on
from attn_gui.formats.untrusted_bytes import Array, Json, check_axes, check_no_bits, overflow_notes, rounding_notes
from attn_gui.languages import N_

MASK = "mask"
ROLES = (*MATRICES, *FUSED, MASK)
_MAKING = (name for name in (*MATRICES, *FUSED) if name.startswith(("w_", "b_")) and "output" not in name)
PROJECTING_ROLES = ("x", "context", *_MAKING)
DIRECT_ROLES = tuple(role for role in ROLES if role in DIRECT or FUSED.get(role) == DIRECT)
_PARTS = {
    "query": ("q", "query", "queries", "qs"),
    "key": ("k", "key", "keys", "ks"),
    "value": ("v", "value", "values", "val", "vals", "vs"),
    "output": ("o", "out", "output"),
}
_PART_OF = {word: part for part, words in _PARTS.items() for word in words}
_PART_OF |= {f"{kind}{word}": part for part, words in _PARTS.items() for word in words[:1] for kind in "wb"}
_TRANSPOSE = re.compile(r"[ᵀᵗ⊤]|(?<=\w)['′’]$|转置|轉置")
_TURNED = frozenset(("t", "transpose", "transposed"))
"""Words behind the name of a part that say that its axes are exchanged: Kᵀ, as hands and programs write it."""
_WEIGHT = frozenset(("weight", "kernel", "w", "matrix", "vars", "wq", "wk", "wv", "wo", "wqkv"))
_BIAS = frozenset(("bias", "b", "bq", "bk", "bv", "bo", "bqkv"))
_PROJECTION = frozenset(("proj", "projection", "dense", "linear"))
_MASK = frozenset(("mask", "masks", "allowed", "visible", "blocked", "forbidden", "tril", "triu", "pad", Padding.kind))
_SECOND = frozenset(("context", "memory", "encoder", "ctx", "source"))
_INPUT = frozenset(("x", "hidden", "input", "inputs", "embedding", "embeddings", "embeds", "emb"))
_POSITIONS = frozenset(("position", "positional", "pos", "rope", "rotary"))
_ELSEWHERE = frozenset(
    (
        *("mlp", "ffn", "feed", "norm", "layernorm", "rmsnorm", "ln", "lm", "fc", "intermediate", "pooler"),
        *("grad", "grads", "gradient", "gradients", "d"),  # dQ, q.grad
        *("lora", "qweight", "qzeros", "scale", "scales", "zero"),  # beside quantized or adapted weights
    )
)
_WORD = re.compile(r"(?!(?<=\d)[dD](?![A-Za-z]))[A-Za-z]+")  # 2d is no derivative
_FUSED = frozenset(("qkv", "wqkv", "bqkv"))
_TOGETHER = (" c attn ", " in proj ")  # in names of three in one: GPT-2's and PyTorch's
_MAPS = frozenset(("pattern", "attentions", "weights", "scores", "probs", "logits", "softmax"))
_WITHOUT, _HALVES = "nope", frozenset(("nope", "pe", "rope"))
"""The columns of a head that have no positions, and both halves of such heads, as DeepSeek calls them."""
_STACKED = re.compile(r"(.+)\[([012])\]")  # one of three that lie in an array one behind another: qkv[0]
_TOKEN_IDS = frozenset(("input_ids", "tokens", "token_ids", "ids"))
_ROTATED = "rot"  # what TransformerLens calls queries and keys with their positions
_ATTENTION = frozenset(("attn", "attention", "mha", "self", "position", "relative"))

META = "meta"
LONGEST_META = 2**20
_OURS = frozenset(("num_heads", "dtype"))  # what every `meta` says that this program wrote
_BATCHED = "batch_axis"  # said of those alone
_COMPLETE = (frozenset(DIRECT), frozenset(("x", *WEIGHTS)), frozenset((GIVEN,)))
"""Names that are enough for a problem, each set of them."""
THERE_TWICE = N_("{file}: “{name}” is there twice.")
_TWICE = N_("{file}: “{name}” is there twice, by itself and in “meta”.")
_NO_PROBLEM = N_("{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}.")
_NO_PROBLEM_TURNED = N_(
    "{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}. By their names "
    "{turned} may be transposed, so they are taken for nothing unasked.",
)
_NO_PROBLEM_HALVES = N_(
    "{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}. By their names "
    "{halves} hold the columns of heads with positions or those without, so none is taken for a whole unasked.",
)
_MISSING = N_("{file}: {name} is missing; expected query, key and value, or x with w_query, w_key and w_value.")


# --- guessed roles --------------------------------------------------------------------------------
class RoleGuess(NamedTuple):
    """The part that a name means, and what it shares with the names of other parts of its layer.

    `turned`: the name says that the axes of the part are exchanged, so that the array must not stand for it unasked.
    """

    role: str
    numbers: tuple[str, ...]
    others: tuple[str, ...]
    turned: bool


@lru_cache(2**14)  # a file of a whole model has thousands, and each is asked about with every choice in the dialog
def guess(name: str) -> RoleGuess | None:
    """Return the part of a problem that a name may mean; None where it says nothing."""
    stacked = _STACKED.fullmatch(name)
    if stacked and (whole := guess(stacked[1])) is not None and whole.role in FUSED:
        return whole._replace(role=FUSED[whole.role][int(stacked[2])])
    words = _words(name)
    turned = words[-1:] != [] and words[-1] in _TURNED
    words = words[:-1] if turned else words
    role = _role(words)
    if role is None:
        return None
    known = {*_PART_OF, *_WEIGHT, *_BIAS, *_PROJECTION, *_MASK, *_INPUT, *_FUSED}
    known |= {_ROTATED, "c", "in", "states", "heads"}
    others = tuple(word for word in words if word not in known)
    return RoleGuess(role, tuple(re.findall(r"\d+", name)), others, turned)


@lru_cache(2**14)
def is_map(name: str) -> bool:
    """Return whether an array of this name has a cell for each query and key: weights or scores of attention."""
    words = _words(name)
    return bool(_MAPS & set(words)) and not _MASK & set(words) and "weight" not in words


def is_token_ids(name: str) -> bool:
    """Return whether an array of this name has a number for each token."""
    return name.rpartition(".")[2] in _TOKEN_IDS


def _words(name: str) -> list[str]:
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", _TRANSPOSE.sub(" t", name))
    return [word.lower() for word in _WORD.findall(parted)]


def _role(words: Sequence[str]) -> str | None:
    """Return the part that the words of a name mean; None where they mean none."""
    said = set(words)
    part = next((_PART_OF[word] for word in reversed(words) if word in _PART_OF), None)
    if "norm" in said and f"{part}_norm" in ROLES:
        return f"{part}_norm"
    if said & _ELSEWHERE:
        return None
    kind = _kind(said)
    if _is_fused(words):
        return next(role for role in FUSED if role.startswith(kind or DIRECT[0]))
    if _is_mask(words):
        return MASK
    if part == "output" or {"c", "proj"} <= said:  # the latter as GPT-2 calls it
        return _output(said)
    if part is not None:
        return kind + part
    if kind:
        return None
    return "context" if said & _SECOND else "x" if said & _INPUT and not said & _POSITIONS else None


def _kind(said: set[str]) -> str:
    """Return the prefix of fields of a bias or of weights; "" where the words say neither."""
    return "b_" if said & _BIAS else "w_" if said & _WEIGHT else ""


def _output(said: set[str]) -> str | None:
    """Return the part of the output projection that is meant; None for the stage, and for the dense layer of an MLP."""
    kind = _kind(said) or ("w_" if said & _PROJECTION else "")
    return f"{kind}output" if kind and not ("dense" in said and not said & _ATTENTION) else None


def _is_mask(words: Sequence[str]) -> bool:
    """Return whether a name is that of a mask, or of a bias of the scores, but not of switches of whole heads."""
    said = set(words)
    bias = "bias" in said and said & _ATTENTION and not said & {*_PART_OF, *_PROJECTION, "c", "weight", "table"}
    if words[-1:] != [] and words[-1] in ("id", "idx"):  # pad_token_id is the number of a token
        return False
    return bool(bias) or (bool(said & _MASK) and " head mask " not in f" {' '.join(words)} ")


def _is_fused(words: Sequence[str]) -> bool:
    """Return whether a name is that of query, key and value in one array."""
    said = set(words)
    return bool(said & _FUSED) or set(DIRECT) <= said or any(pair in f" {' '.join(words)} " for pair in _TOGETHER)


def with_stacked_apart(listing: ArrayListing) -> ArrayListing:
    """Return the listing with query, key and value each by a name of its own, qkv[0] to qkv[2], where one array holds
    them along an axis of three before its columns; which is which is for a person to say.

    Three rows of tables whose columns may hold them, too, by a name that does not tell, stay beside these.
    """
    axes: dict[str, int] = {}
    both, there = set[str](), {array.name for array in listing.arrays}
    for name, shape, _ in listing.arrays:
        places = [axis for axis, length in enumerate(shape[:-1]) if length == len(DIRECT)]
        if len(shape) < 3 or len(places) != 1 or (found := guess(name)) is None or FUSED.get(found.role) != DIRECT:
            continue
        if len(shape) == 3 and not shape[-1] % len(DIRECT):  # the columns may hold them, too
            if places != [0] or known_split(name) is not None or f"{name}[0]" in there:
                continue
            both.add(name)
        axes[name] = places[0]
    if not axes:
        return listing
    parts = {f"{name}[{place}]": (name, place) for name in axes for place in range(len(DIRECT))}
    arrays: list[ListedArray] = []
    for one in listing.arrays:
        if (axis := axes.get(one.name)) is None:
            arrays.append(one)
            continue
        rest = one.shape[:axis] + one.shape[axis + 1 :]
        arrays += [ListedArray(f"{one.name}[{place}]", rest, one.dtype) for place in range(len(DIRECT))]
        arrays += [one] if one.name in both else []

    def read(source: FileSource, names: Collection[str]) -> dict[str, Array]:
        whole = listing.read(source, {parts[name][0] if name in parts else name for name in names})
        taken = {name: parts[name] for name in names if name in parts}
        apart = {part: whole[name].take(place, axes[name]) for part, (name, place) in taken.items()}
        return {name: array for name, array in whole.items() if name in names} | apart

    return replace(listing, arrays=tuple(arrays), read=read)


def other_names(name: str) -> set[str]:
    """Return the names under which `with_stacked_apart` lists the numbers of an array once more."""
    stacked = _STACKED.fullmatch(name)
    whole = stacked[1] if stacked else name
    if (found := guess(whole)) is None or found.role not in FUSED:
        return set()
    return {whole} if stacked else {f"{whole}[{place}]" for place in range(len(DIRECT))}


def suggested(arrays: Iterable[ListedArray]) -> dict[str, str]:
    """Return {part: likely name} for one problem.

    Names of one layer come before those of several, and queries and keys as the scores read them before unturned ones.
    Of turned parts only masks are named: these are asked about. Halves of heads are none.
    """
    arrays = tuple(arrays)
    halves = _halves(array.name for array in arrays)
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, str]] = {}
    for array in sorted(arrays, key=lambda array: _ROTATED not in _words(array.name)):
        found = guess(array.name)
        if found is not None and array.shape and array.name not in halves and (found.role == MASK or not found.turned):
            groups.setdefault((found.numbers, found.others), {}).setdefault(found.role, array.name)
    if not groups:
        return {}
    best = max(groups, key=lambda group: (_worth(groups[group]), len(groups[group])))
    ordered = sorted(groups, key=lambda group: (group != best, group[0] != best[0]))
    found_names: dict[str, str] = {}
    for group in ordered:
        found_names = groups[group] | found_names
    for fused, parts in FUSED.items():
        if fused in found_names and (apart := found_names.keys() & set(parts)):
            for role in [fused] if len(apart) == len(parts) else apart:
                del found_names[role]
    return one_way(found_names, projected=_worth(found_names) and not set(DIRECT) <= parts_of(found_names))


def _halves(names: Iterable[str]) -> set[str]:
    """Return those of some names that are halves of heads: with positions, and without."""
    names = list(names)
    split = any(_WITHOUT in _words(name) for name in names)
    return {name for name in names if split and not _HALVES.isdisjoint(_words(name))}


def one_way(names: Mapping[str, str], *, projected: bool) -> dict[str, str]:
    """Return the parts that make one problem together: Q, K, V, or X with its weights; W_O and a mask with both."""
    away = DIRECT_ROLES if projected else PROJECTING_ROLES
    return {role: names[role] for role in ROLES if role in names and role not in away}


def _worth(names: Mapping[str, str]) -> bool:
    parts = parts_of(names)
    return set(DIRECT) <= parts or set(WEIGHTS) <= parts


# --- names of fields ------------------------------------------------------------------------------
class ForeignNames(AmbiguousFile):
    """A file of arrays whose names say nothing: a person has to say which is which."""


def is_own_name(name: str) -> bool:
    """Return whether an array of this name is part of a problem."""
    return is_field(name) or is_option(name) or name == META


def check_names(names: Iterable[str]) -> None:
    """Raise ForeignNames where the names make no problem, and other arrays may be the missing parts."""
    names = list(names)
    known = [name for name in names if is_field(name)]
    foreign = [name for name in names if not (is_own_name(name) or is_result(name))]
    if not known or (foreign and not is_problem(known)):
        turned = [name for name in foreign if (found := guess(name)) is not None and found.turned]
        halves = _halves(foreign)
        template = _NO_PROBLEM_TURNED if turned else _NO_PROBLEM_HALVES if halves else _NO_PROBLEM
        halved = listed(name for name in foreign if name in halves)
        raise ForeignNames(template, got=listed(names) or "–", turned=listed(turned), halves=halved)
    if not is_problem(known):  # said before any array is read
        needed = ("x", *WEIGHTS) if {"x", *WEIGHTS}.intersection(known) else DIRECT
        raise FormatError(_MISSING, name=next(name for name in needed if name not in known))


def is_problem(names: Iterable[str]) -> bool:
    """Return whether arrays of these names are enough for a problem."""
    names = set(names)
    return any(complete <= names for complete in _COMPLETE)


def problem_of(
    arrays: Mapping[str, Array], options: Mapping[str, Json], ignored: Sequence[str] = (), *, batch_axis: bool = False
) -> Loaded:
    """Return the problem of arrays by field name, with notes on those `ignored`, on rounding and on overflow.

    `batch_axis`: whether a first axis as long as num_heads is the batch, where the options do not say; else it may be
    heads, and is refused.
    """
    for name, array in arrays.items():
        check_axes(name, array.shape)
        check_no_bits(name, array)
    problem, about, strange = assemble(arrays, options, batch_axis=batch_axis)
    left_out = (*(name for name in ignored if not is_result(name)), *strange)
    notes: list[FileNote] = [*notes_on(ignored, strange)]
    notes += [note for array in arrays.values() for note in rounding_notes(array)]
    given, kept = {**cells_in_lists(options), **arrays}, problem.arrays()
    notes += [note for name in given if name in kept for note in overflow_notes(name, given[name], kept[name])]
    return Loaded(problem, notes=tuple(notes), about=about, left_out=left_out)


def is_own_file(listing: ArrayListing) -> bool:
    """Return whether this program wrote the arrays, so that nothing is to be asked."""
    known = all(is_own_name(array.name) or is_result(array.name) for array in listing.arrays)
    return known and listing.options.keys() >= {*_OURS, _BATCHED}


def meta_options(options: Mapping[str, Json]) -> dict[str, Json]:
    """Return the options in a `meta`; in one of this program a first axis is the batch, in others it may be heads."""
    return {_BATCHED: True, **options} if options.keys() >= _OURS else dict(options)


def joined(options: Mapping[str, Json], more: Mapping[str, Json]) -> dict[str, Json]:
    """Return the options of `meta` and those beside it. Raises FormatError for one that is in both."""
    if twice := [name for name in more if name in options]:
        raise there_twice(twice[0])
    return {**options, **more}


def there_twice(name: str) -> FormatError:
    """Return the error for an option that is both beside `meta` and in it."""
    return FormatError(_TWICE, name=shown(name))


def texts_among(members: Mapping[str, ArrayRows]) -> dict[str, str]:
    """Return the members of a file that are texts, such as the options."""
    return {name: str(next(rows.blocks())) for name, rows in members.items() if rows.dtype.kind == "U"}


def options_among(texts: Mapping[str, Json]) -> dict[str, Json]:
    """Return {name: value} of texts that are options of a problem."""
    return {name: value for name, value in texts.items() if is_option(name)}
