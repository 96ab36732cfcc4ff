"""Tokens as transformers cuts texts into them, and what a reader sees of them."""

import json
import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from attn_gui.formats import FormatError
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.models import open_model
from attn_gui.models.tokenizer import TokenizerFile, TokenTexts, WholeWords
from attn_gui.paths import resource
from tests.failing import each

DATA = Path(__file__).parents[1] / "data" / "models"
pytest.importorskip("tokenizers")
BOS, EOS = "<|begin_of_text|>", "<|end_of_text|>"
LLAMA = {"tokenizer_class": "LlamaTokenizerFast", "bos_token": {"content": BOS, "lstrip": False}, "eos_token": EOS}
ADDED, LIST = "added_tokens_decoder", "extra_special_tokens"
TOOL = {"content": "<x>", "lstrip": True, "special": True}
BARE = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}


def cut(folder: Path, told: object, *texts: str, bare: bool = False) -> list[str]:
    """The tokens of a text; `bare`: the tokenizer's file itself lays nothing round it, as that of DeepSeek."""
    folder.mkdir()
    for name in ("tokenizer.json", "config.json"):
        shutil.copy(DATA / "tiny-llama" / name, folder)
    if bare:
        given = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        (folder / "tokenizer.json").write_text(json.dumps(given | {"post_processor": BARE}), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
    found = TokenizerFile(folder)
    return list(found.tokens(found.cut(texts).ids))


@pytest.mark.parametrize(
    ("more", "bare", "before", "after"),
    [
        ({"add_bos_token": True}, False, [BOS], []),
        ({"add_bos_token": False}, False, [], []),
        ({"add_bos_token": True, "add_eos_token": True}, True, [BOS], [EOS]),
        ({}, False, [BOS], []),
        ({"tokenizer_class": "Qwen2Tokenizer", "add_bos_token": False}, False, [BOS], []),
    ],
)
def test_a_llama_begins_and_ends_a_text_as_its_folder_says(more, bare, before, after, tmp_path):
    """DeepSeek's models were run without the token that they all begin with."""
    one, other = cut(tmp_path / "one", {}, "to the", bare=True), cut(tmp_path / "other", {}, " store", bare=True)
    told = LLAMA | more
    assert cut(tmp_path / "text", told, "to the", bare=bare) == [*before, *one, *after]
    if "add_bos_token" in told and told["tokenizer_class"] == LLAMA["tokenizer_class"]:
        both = [*before, *one, *after, *before, *other, *after]
        assert cut(tmp_path / "pair", told, "to the", " store", bare=bare) == both


@each(
    ("name", "told", "text", "tokens"),
    [
        ("tiny-bert", {"do_lower_case": False}, "the The", ["[CLS]", "the", "[UNK]", "[SEP]"]),
        ("tiny-bert", {"do_lower_case": True, "strip_accents": None}, "the Thé", ["[CLS]", "the", "the", "[SEP]"]),
        (  # a class that has no such switch
            "tiny-bert",
            {"do_lower_case": False, "tokenizer_class": "PreTrainedTokenizerFast"},
            "the The",
            ["[CLS]", "the", "the", "[SEP]"],
        ),
        ("tiny-gpt2", {"add_prefix_space": True}, "the", ["Ġthe"]),
        ("tiny-gpt2", {"add_prefix_space": None}, "the", ["t", "he"]),  # null is no word
        # tokens that stand there alone
        ("tiny-gpt2", {ADDED: {"401": {"content": "<b>"}, "400": TOOL}}, "the<b> <x>", ["t", "he", "<b>", "<x>"]),
        ("tiny-gpt2", {ADDED: {"0": TOOL | {"content": "<|endoftext|>"}}}, "a  <|endoftext|>", ["a", "<|endoftext|>"]),
        ("tiny-gpt2", {"extra_special_tokens": [TOOL], "eos_token": "<b>"}, "a<b><x>", ["a", "<b>", "<x>"]),
        ("tiny-gpt2", {"extra_special_tokens": {"a": TOOL | {"rstrip": None}}, "eos_token": ""}, "a<x>", ["a", "<x>"]),
        (resource("models", "toy-induction"), {ADDED: {"27": TOOL}}, "a <x>", ["<s>", "a", "<x>"]),
        (resource("models", "toy-induction"), {"cls_token": "<x>"}, "a <x>", ["<s>", "a", "<x>"]),
        ("tiny-gpt2", {"extra_special_tokens": 5}, "a", ["a"]),  # no list
    ],
)
def test_a_text_is_cut_as_the_config_beside_the_tokenizer_says(name, told, text, tokens, tmp_path):
    """The tokenizer's own file was taken at its word: text in capitals ran in small letters, a token in pieces."""
    shutil.copy(DATA / name / "tokenizer.json", tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(told), encoding="utf-8")
    found = TokenizerFile(tmp_path)
    assert list(found.tokens(found.cut((text,)).ids)) == tokens


@each(
    ("given", "said"),
    [
        ({"400": {}}, "for each id"),
        ([TOOL], "for each id"),
        ([1], "for each id"),
        ({"499": TOOL}, "<x> the id 400, .* the id 499"),
        ({"400": TOOL, "401": TOOL}, "<x> the id 400, .* the id 401"),
    ],
)
def test_tokens_beside_a_tokenizer_that_do_not_go_with_it_are_refused(given, said, tmp_path):
    shutil.copy(DATA / "tiny-gpt2" / "tokenizer.json", tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({ADDED: given}), encoding="utf-8")
    with pytest.raises(FormatError, match=f"tokenizer.json.* {said}"):
        TokenizerFile(tmp_path).cut(("a",))


@each(
    ("told", "named", "added", "tokens"),
    [
        ({}, {"mask_token": "<x>"}, {"<b>": 400}, ["t", "he", "<b>", "Ġ", "<x>"]),
        ({}, {LIST: ["<x>"]}, {"<B>": 401, "<x>": 400}, ["t", "he", "<", "b", ">", "Ġ", "<x>"]),
        ({"mask_token": "<b>"}, {"mask_token": TOOL}, {"<y>": 0}, ["t", "he", "<", "b", ">", "<x>"]),
        ({ADDED: {}}, {"mask_token": "<x>"}, {"<b>": 400}, ["t", "he", "<", "b", ">", "Ġ", "<", "x", ">"]),
        ({}, {}, {"<b>": 450}, "<b> the id 400, but added_tokens.json the id 450"),
        ({}, {}, {"<b>": "400"}, "added_tokens.json, beside tokenizer.json, has to give a whole number"),
        ({}, {}, {"<b>": True}, "added_tokens.json, beside tokenizer.json, has to give a whole number"),
    ],
)
def test_older_folders_give_tokens_in_files_of_their_own(told, named, added, tokens, tmp_path):
    shutil.copy(DATA / "tiny-gpt2" / "tokenizer.json", tmp_path)
    for name, entries in (("tokenizer_config", told), ("special_tokens_map", named), ("added_tokens", added)):
        (tmp_path / f"{name}.json").write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(FormatError, match=tokens) if isinstance(tokens, str) else nullcontext():
        found = TokenizerFile(tmp_path)
        assert list(found.tokens(found.cut(("the<b> <x>",)).ids)) == tokens


@pytest.mark.parametrize("alone", [False, True], ids=["as the toy lays tokens round", "nothing laid round"])
@pytest.mark.parametrize("texts", [("a b  c",), ("a", "b c"), ("", "q"), ("a\x1cb\x85c\u3000d\x0be",)])
def test_whole_words_are_cut_as_the_package_cuts_them(texts, alone):
    """A pair of texts ended in a traceback, and U+001C counted as a blank."""
    from tokenizers import Tokenizer

    given = json.loads(resource("models", "toy-induction", "tokenizer.json").read_text(encoding="utf-8"))
    given |= {"post_processor": None} if alone else {}
    plain = WholeWords.of(given)
    assert plain is not None
    mine, theirs = plain.encode(*texts), Tokenizer.from_str(json.dumps(given)).encode(*texts)
    assert (mine.ids, mine.type_ids) == (theirs.ids, theirs.type_ids)


def test_a_token_without_a_name_is_found_as_it_is_written():
    """A page predicted it, and said that it was no token when it was asked for."""
    found = TokenizerFile(DATA / "tiny-llama")
    assert found.tokens([5, 4000]) == (found.tokens([5])[0], "#4000")
    assert found.token_id("#4000") == 4000
    for other in ("#5", "#04000", "#４０００", "# 4000", "#" + "9" * 5000):
        assert found.token_id(other) is None


def replaced(pattern: str, content: str) -> dict[str, object]:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


SPLIT = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
WORDS = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a" * 2000: 1}, "unk_token": "[UNK]"}
FIRST = {"Sequence": {"id": "A", "type_id": 0}}
LONG = {"SpecialToken": {"id": "x", "type_id": 0}}


def template(*parts: object, token: str = "x") -> dict[str, object]:
    named = {"x": {"id": "x", "ids": [1], "tokens": [token]}}
    return {"type": "TemplateProcessing", "single": parts, "pair": [FIRST], "special_tokens": named}


WICKED = {
    "each letter fifty times, eight times": (
        {"normalizer": {"type": "Sequence", "normalizers": [replaced("a", "a" * 50)] * 8}},
        "could make",
    ),
    "at every place": (
        {"normalizer": {"type": "Replace", "pattern": {"Regex": ""}, "content": "a" * 10**6}},
        "could make",
    ),
    "the text again and again": ({"post_processor": template(*[FIRST] * 10**5)}, "could make"),
    "a long token round it": ({"post_processor": template(FIRST, LONG, token="a" * 10**7)}, "could make"),
    "a long token": ({"model": WORDS, "added_tokens": [], "post_processor": None}, "has a token of 2,000 letters"),
    "a pattern that is tried for ever": ({"pre_tokenizer": SPLIT}, "cannot cut this text into tokens: Onig"),
}


@each("name", WICKED, one_of=3)
def test_a_tokenizer_that_panics_or_makes_text_without_end_is_refused_before_it_does(name, tmp_path):
    """It ended in a traceback, or took all memory there was."""
    part, said = WICKED[name]
    given = json.loads((DATA / "tiny-bert" / "tokenizer.json").read_text(encoding="utf-8"))
    (tmp_path / "tokenizer.json").write_text(json.dumps(given | part), encoding="utf-8")
    with pytest.raises(FormatError, match=f"^tokenizer.json {said}"):
        TokenizerFile(tmp_path).cut(("a" * 60 + "b",))


@each("longest", [100, 10**9])
def test_a_word_that_takes_minutes_to_look_through_is_refused(longest, tmp_path):
    given = json.loads((DATA / "tiny-bert" / "tokenizer.json").read_text(encoding="utf-8"))
    given["model"]["max_input_chars_per_word"] = longest
    (tmp_path / "tokenizer.json").write_text(json.dumps(given), encoding="utf-8")
    found = TokenizerFile(tmp_path)
    assert len(found.cut(("a " * 5000,)).ids) == 5002
    if longest == 100:  # longer ones are unknown as a whole
        assert len(found.cut(("a" * 5000,)).ids) == 3
        return
    with pytest.raises(FormatError, match="look through a word of 5,000 letters"):
        found.cut(("a" * 5000,))


@pytest.mark.parametrize(
    ("folder", "text", "unknown", "stand_in"),
    [
        (resource("models", "toy-induction"), "a 猫 b é 猫", ("猫", "é"), "<s>"),
        (DATA / "tiny-bert", "a cat 猫", ("猫",), "[UNK]"),
        (DATA / "tiny-xlmr", "a 猫", ("猫",), "<unk>"),
        (DATA / "tiny-llama", "a 猫", (), ""),
    ],
)
def test_what_a_tokenizer_does_not_know_is_told(folder, text, unknown, stand_in):
    """“<s>” stood in the place of a character, and nothing was said."""
    cut = TokenizerFile(folder).cut((text,))
    assert cut.unknown == unknown
    assert not unknown or cut.stand_in == stand_in


# --- texts of tokens ------------------------------------------------------------------------------
tokenizers = pytest.importorskip("tokenizers")
ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())


def by_bytes(*tokens: str) -> Tokenizer:
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys([*ALPHABET, *tokens]))}
    found = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    found.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    found.decoder = decoders.ByteLevel()
    found.add_special_tokens(["<|end of text|>", "<Ġ>"])
    return found


def of_sentence_piece() -> Tokenizer:
    found = Tokenizer(models.BPE(vocab={"▁": 0, "▁the": 1, "<0xE2>": 2, "<0x0A>": 3}, merges=[], byte_fallback=True))
    found.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return found


def of_metaspace() -> Tokenizer:
    found = Tokenizer(models.Unigram([("▁the", -1.0), ("he", -1.0)]))
    found.pre_tokenizer = pre_tokenizers.Metaspace()
    found.decoder = decoders.Metaspace()
    return found


def of_word_piece() -> Tokenizer:
    found = Tokenizer(models.WordPiece({"go": 0, "##ing": 1, "[UNK]": 2}, unk_token="[UNK]"))
    found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    found.decoder = decoders.WordPiece()
    return found


@each(
    ("tokenizer", "token", "text"),
    [
        (by_bytes(), "ĠParis", "␣Paris"),
        (by_bytes(), "caf\u00c3\u00a9", "café"),  # the two bytes of é
        (by_bytes(), "Ċ", "↵"),
        (by_bytes(), "Ġâ\u0122", "␣‹E2 80›"),  # the first two of the three bytes of a dash
        (by_bytes(), "Ļs", "‹99›s"),
        (by_bytes(), "<|end of text|>", "<|end␣of␣text|>"),
        (of_sentence_piece(), "▁the", "␣the"),
        (of_sentence_piece(), "<0xE2>", "‹E2›"),
        (of_sentence_piece(), "<0x0A>", "↵"),
        (of_metaspace(), "▁the", "␣the"),
        (of_metaspace(), "<0x0A>", "<0x0A>"),
        (of_word_piece(), "go", "go"),
        (of_word_piece(), "##ing", "…ing"),
        (of_word_piece(), "[UNK]", "[UNK]"),
        (None, "Ġ▁##", "Ġ▁##"),  # of a tokenizer that says nothing of itself
        (None, "␣", "‹U+2423›"),
    ],
)
def test_the_text_of_a_token(tokenizer: Tokenizer | None, token: str, text: str) -> None:
    found = TokenTexts.of(tokenizer).text(token)
    assert found == text
    assert visible_text(found) == text


@pytest.mark.parametrize(("name", "text"), [("tiny-gpt2", "the cat"), ("tiny-llama", "the cat"), ("tiny-bert", "cats")])
def test_a_model_says_both(name: str, text: str) -> None:
    run = open_model(DATA / name).run(text)
    assert len(run.texts) == len(run.tokens) == len(run.ids)
    assert run.problem(0).query_tokens == run.texts
    assert not any(mark in shown for shown in run.texts for mark in ("Ġ", "##"))
    assert [run.text_of(token) for token in run.tokens] == [*run.texts]
    assert [run.token_id(token) for token in run.tokens] == [*run.ids]
