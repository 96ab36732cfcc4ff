from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from attn_gui.document.sentence_tokens import places_before, split_tokens
from tests.failing import each


@each(
    ("sentence", "tokens"),
    [
        ("The animal didn't cross.", "The animal didn't cross ."),
        ("“It’s tired”, she said…", "“ It’s tired ” , she said …"),
        ("'quoted' a-b GPT-4 a_b", "' quoted ' a - b GPT - 4 a_b"),
        ("costs 3.14 or 1,000. Yes.", "costs 3.14 or 1,000 . Yes ."),
        ("思维机器", "思 维 机 器"),
        ("用GPT4模型，好！", "用 GPT4 模 型 ， 好 ！"),
        ("カタカナ と ㄅ", "カタカナ と ㄅ"),
        ("我 喜欢 吃 红 苹果 派", "我 喜欢 吃 红 苹果 派"),
        ("我 喜欢 GPT4模型，好！", "我 喜欢 GPT4 模型 ， 好 ！"),
        ("我喜欢 GPT4", "我 喜 欢 GPT4"),
        ("한국어 말", "한국어 말"),
        ("e\u0301te\u0301 naïve", "e\u0301te\u0301 naïve"),
        ("हिन्दी में", "हिन्दी में"),
        ("𠀀𠀁a", "𠀀 𠀁 a"),
        ("ok👍🏽🇨🇳🇩🇪❤️", "ok 👍🏽 🇨🇳 🇩🇪 ❤️"),
        ("👨\u200d👩\u200d👧 x", "👨\u200d👩\u200d👧 x"),
        ("a\u3000b\tc\nd\u200be", "a b c d e"),
        ("", ""),
    ],
)
def test_a_sentence_is_cut_where_a_reader_would(sentence: str, tokens: str) -> None:
    assert split_tokens(sentence) == tuple(tokens.split())


@given(st.lists(st.text().filter(lambda token: token.split() == [token])), st.sampled_from(["", " "]))
def test_known_tokens_between_blanks_stay_as_they_are(words: list[str], blank: str) -> None:
    tokens = tuple(blank + word for word in words)
    assert split_tokens(" ".join(words), set(tokens)) == tokens


@given(st.text())
def test_no_sign_is_lost_and_none_is_added(sentence: str) -> None:
    tokens = split_tokens(sentence)
    assert all(tokens)
    assert "".join("".join(tokens).split()) == "".join(letter for letter in "".join(tokens) if not letter.isspace())
    letters = [letter for letter in sentence if letter.isalnum()]
    assert [letter for letter in "".join(tokens) if letter.isalnum()] == letters


@each(
    ("before", "tokens", "places"),
    [
        ("a b c d", "a b c d", [0, 1, 2, 3]),
        ("a b c d", "a bc d", [0, 1, 3]),  # joined
        ("a bc d", "a b c d", [0, 1, -1, 2]),  # split
        ("a b c d", "b c d", [1, 2, 3]),
        ("a b", "x a b y", [-1, 0, 1, -1]),
        ("a b c", "u v w x", [0, 1, 2, -1]),
        ("a b c d", "u v", [0, 1]),
        ("the cat the dog", "the cat saw the dog", [0, 1, -1, 2, 3]),
        ("very very good", "very good", [0, 2]),
    ],
)
def test_tokens_that_stay_are_found_at_their_places(before: str, tokens: str, places: list[int]) -> None:
    assert places_before(tokens.split(), before.split()) == places


def test_rows_without_names_keep_their_order() -> None:
    assert places_before(("u", "v", "w"), [None, None]) == [0, 1, -1]
    assert places_before(("u",), [None, None]) == [0]


@each("vocabulary", ["0123456789", "我们是好人"])
def test_tokens_of_a_long_text_of_few_words_are_found_at_their_places(vocabulary: str) -> None:
    before = [vocabulary[k % len(vocabulary)] for k in range(300)]
    assert places_before(before[1:], before) == [*range(1, 300)]
    assert places_before(["new", *before, "new"], before) == [-1, *range(300), -1]
    assert places_before(["new", *before[1:-1], "new"], before) == [*range(300)]
