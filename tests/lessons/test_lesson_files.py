"""Lessons are whole and true, those of models too; a file that is not one is refused by line, expected and got."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import Problem, compute, sensitivity
from attn_gui.engine.creation.create import new_fields
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.figure.pages.page_kind import PageContext, option_values
from attn_gui.lessons import live_numbers
from attn_gui.lessons.curriculum import following, names
from attn_gui.lessons.exercises import verdict_on
from attn_gui.lessons.lesson import read_lesson, written
from attn_gui.lessons.live_numbers import ExpressionError, NumberSource, expression
from attn_gui.lessons.step_states import states_of
from attn_gui.models import open_model
from attn_gui.paths import is_lesson, resource
from tests.failing import each
from tests.printed import equations_in, wrong_equations

LESSONS = sorted(resource("lessons").glob("*.md"))
WHOLE = """# Title | 标题

## Step | 步骤
- open: worked-example
- choose: weights[1, 1]

### English
Weight {weights[1, 1]:2} of **key 1**.

### 中文
键 1 的权重 {weights[1, 1]:2}。

### Question
- ask: Root? | 根号？
- answer: sqrt(d_k)
- because: It is {sqrt(d_k):3}. | 即 {sqrt(d_k):3}。
"""
OPENED = "- open: worked-example"


@each("path", LESSONS, one_of=4)
def test_every_number_of_a_lesson_is_computed_and_every_question_has_a_right_and_a_wrong_answer(path):
    for state in states_of(read_lesson(path), PAGES):
        begin, end = (scene.number_source() for scene in (state.begin, state.end))
        for lang in ("en", "zh"):
            for number_source in (begin, end):
                said = state.step.text.said(lang, number_source)
                assert "{" not in said
                assert "–" not in said.replace("Nadaraya–Watson", "")
                assert "NaN" not in said
                assert wrong_equations(said) == []
        question = state.step.question
        if question is not None and question.because is not None:
            assert wrong_equations(question.because.said("en", end)) == []
        if question is None or question.answer is None:
            continue
        number = question.answer.number(end)
        assert verdict_on(question, end, number).right
        assert verdict_on(question, end, round(number, 2)).right or question.tolerance < 0.005
        assert not verdict_on(question, end, number + 1.5).right
        named = question.answer.cell is not None or question.answer.root or len(question.wrong) >= 2
        assert named, "what is usually answered in its place is told apart"
        if question.answer.cell is not None and state.shown.cell is not None:
            assert state.shown.cell[0] == question.answer.cell[0], "what is asked for is shown"
        asked, zh = question.text.plain("en"), question.text.plain("zh")
        if abs(round(number, 2) - number) > 1e-9:
            assert "decimals" in asked, "the precision is named"
            assert "位小数" in zh
        if "three decimals" in asked.lower():
            assert question.tolerance == 0.0005


@each(
    ("lang", "told", "refused"),
    [
        ("zh", "mine.md：1 步，1 个问题；每个数都已算出\n", "课程 mine.md 第 5 行：应为"),
        ("en", "mine.md: steps: 1, questions: 1; every number computed\n", "In the lesson mine.md, line 5: expected"),
    ],
)
def test_a_check_speaks_the_language_that_is_asked_for(tmp_path, capsys, lang, told, refused):
    assert main(["lesson", "check", str(lesson(tmp_path, WHOLE)), "--lang", lang]) == 0
    assert capsys.readouterr().out == told
    path = lesson(tmp_path, WHOLE.replace("choose: weights[1, 1]", "choose: weights[9, 9]"))
    assert main(["lesson", "check", str(path), "--lang", lang]) == 2
    assert refused in capsys.readouterr().err


CHINESE_ONLY = """# 我的第一课

## 一步
- make: kind=self n=2 d_k=2
- cover: weights[0, :]

### 中文
权重是 {weights[0, 0]}，a | b 是条件概率的写法。

### Question
- ask: √4 是多少？
- answer: sqrt(4)

# 现在你会：
- can: 开平方
"""


def test_a_lesson_in_one_language_alone_is_taken(tmp_path):
    read = read_lesson(lesson(tmp_path, CHINESE_ONLY))
    (state,) = states_of(read, PAGES)
    for lang in ("en", "zh"):
        assert read.title.plain(lang) == "我的第一课"
        assert state.step.text.plain(lang) == "权重是 ，a | b 是条件概率的写法。"
    assert read.end is not None
    assert read.end.can[0].plain("en") == "开平方"
    assert read.minutes == 3


@each(
    ("old", "new", "said"),
    [
        ("- cover: weights[0, :]", "- cover: weights[0]", "line 5: expected computed cells such as weights[1, 1]"),
        ("- cover: weights[0, :]", "- do: query[0, 0] = 2", "query is computed from x here, got query[0, 0]"),
        ("- can: 开平方\n", "", "line 14: expected 1 to 8 lines “- can: …” at the end, got 0."),
        ("- can: 开平方", "- can: 开平方\n- next: nowhere.md", "line 16: expected the name of a lesson beside"),
        ("- can: 开平方", "- see: a", "line 15: expected “- can:”, “- try:” or “- next:”"),
    ],
)
def test_what_is_wrong_with_a_cover_or_an_end_is_said_with_its_line(tmp_path, capsys, old, new, said):
    assert main(["lesson", "check", str(lesson(tmp_path, CHINESE_ONLY.replace(old, new, 1)))]) == 2
    assert said in capsys.readouterr().err


def test_what_is_asked_for_is_covered_with_its_row_and_what_follows(tmp_path):
    asked = WHOLE.replace("- answer: sqrt(d_k)", "- answer: weights[1, 1]")
    for more, stages in (("", {"weights", "head_output", "concat", "output"}), ("- cover: none\n", set())):
        text = asked.replace("- choose:", f"{more}- choose:")
        (state,) = states_of(read_lesson(lesson(tmp_path, text)), PAGES)
        assert {blank.stage for blank in state.covered} == stages
        assert {blank.index[-2] for blank in state.covered} <= {1}


def test_every_lesson_has_a_place_and_an_end():
    assert sorted(names()) == sorted(path.stem for path in LESSONS)
    for path in LESSONS:
        read = read_lesson(path)
        assert read.end is not None
        assert len(read.end.can) == 4
        assert read.end.tries is not None
        assert following(read) is not None or path.stem == "15-induction"


def test_a_number_that_is_asked_for_is_called_by_its_cell(tmp_path):
    text = WHOLE.replace("- answer: sqrt(d_k)", "- answer: weights[1, 1]")
    (state,) = states_of(read_lesson(lesson(tmp_path, text)), PAGES)
    number_source, question = state.begin.number_source(), state.step.question
    for number, place, mistake in (
        (1.155, ("scaled", (0, 0, 1, 1)), "no_softmax"),
        (0.577, ("scaled", (0, 0, 1, 0)), None),
        (0.36, ("weights", (0, 0, 1, 0)), None),
        (3.173, None, "not_divided_by_z"),
    ):
        verdict = verdict_on(question, number_source, number)
        assert verdict.place == place, number
        assert next((found.key for found in verdict.mistakes), None) == mistake, number


@each("path", LESSONS)
def test_no_choice_is_right_by_word_alone_and_every_wrong_one_is_told_why(path):
    """Either the choices are numbers that are computed, or the step holds a claim that is."""
    for step in read_lesson(path).steps:
        if step.question is not None and step.question.choices:
            computed = any(list(choice.live()) for choice in step.question.choices)
            assert computed or any(order.word == "holds" for order in step.orders), step.title.said("en", None)
            told = [said is not None for said in step.question.wrong_choices]
            assert told == [place != step.question.right for place in range(len(told))], step.title.plain("en")


def test_gradients_and_dependences_are_those_of_the_engine():
    problem = Problem(**new_fields("self", n=5, num_heads=2, d_k=3, fill="random", seed=1))
    trace = compute(problem)
    exact = sensitivity(trace, "output", (0, 3, 1))
    number_source = NumberSource(trace.evaluation)
    number = expression("gradient(output[3, 1], w_query[2, 4])").number(number_source)
    assert number == exact["w_query"][2, 4]
    assert expression("norm(gradient(output[3, 1], x[:, :]))").number(number_source) == np.linalg.norm(exact["x"])
    page = PAGES["dependence"]
    context = PageContext.at(trace.evaluation, 0, 0, "weights", (3, 1))
    context = replace(context, options=option_values(page.options, context, {}))
    for name, found in zip(
        ("rnn", "cnn", "attention"), page.read(trace.evaluation, context, lambda _: None).maps, strict=True
    ):
        assert expression(f"{name}[4, 1]").number(number_source) == found[4, 1]
    with pytest.raises(ExpressionError):
        expression("gradient(n, 2)")
    with pytest.raises(ExpressionError):
        expression("gradient(output[9, 9], x[0, 0])").number(number_source)
    with pytest.raises(ExpressionError):
        expression("rnn[0, 0]").number(NumberSource(compute(problem.replace(context=problem.x)).evaluation))


def test_the_gradient_is_told_as_it_is_before_and_after_the_scale_is_set_back():
    state = states_of(read_lesson(resource("lessons", "03-root-d-k.md")), PAGES)[4]
    length = expression("norm(gradient(weights[2, 5], query[2, :]))")
    before, after = (length.number(scene.number_source()) for scene in (state.begin, state.end))
    assert after / before > 2000  # 一千多倍 would be less than that
    for lang, claim in (("en", "With scaling it is more than a thousand times"), ("zh", "不缩放时的一千倍以上")):
        assert claim in state.step.text.said(lang, state.begin.number_source())


def lesson(tmp_path, text):
    path = tmp_path / "mine.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_live_numbers_are_those_of_the_problem(tmp_path):
    (state,) = states_of(read_lesson(lesson(tmp_path, WHOLE)), PAGES)
    begin = state.begin.problem
    number_source = state.begin.number_source()
    assert state.step.text.said("en", number_source) == "Weight 0.64 of **key 1**."
    assert state.step.text.said("zh", number_source) == "键 1 的权重 0.64。"
    moved = NumberSource(compute(begin.replace(scale=1)).evaluation)
    assert state.step.text.said("en", moved) == "Weight 0.73 of **key 1**."
    other = NumberSource(compute(begin.replace(query=[[1, 2, 3]])).evaluation)
    assert state.step.text.said("en", other) == "Weight – of **key 1**."


def test_an_equation_in_a_sentence_has_the_digits_that_make_it_true(tmp_path):
    text = WHOLE.replace(
        "Weight {weights[1, 1]:2} of **key 1**.",
        "Row 1: {weights[1, 0]:3} · 2 + {weights[1, 1]:3} · 4 = {head_output[1, 1]:3}. "
        "It is e^{scaled[1, 1]:3} = {exp(scaled[1, 1]):3}, and {d_k} = {d_k}.",
    )
    (state,) = states_of(read_lesson(lesson(tmp_path, text)), PAGES)
    said = state.step.text.said("en", state.begin.number_source())
    assert said == "Row 1: 0.3595 · 2 + 0.6405 · 4 = 3.281. It is e^1.1547 = 3.173, and 3 = 3."
    assert len(equations_in(said)) == 3
    assert wrong_equations(said) == []


@each(
    ("old", "new", "said"),
    [
        ("# Title | 标题", "Title", "line 1: expected “# title | 标题” as the first line, got Title."),
        ("# Title | 标题", "# Title", "line 1: expected “English | 中文”, once “ | ” between them, got Title."),
        ("## Step | 步骤", "## Step", "line 3: expected “English | 中文”, once “ | ” between them, got Step."),
        ("- open: worked-example", "- open: nothing-here", "line 4: expected the name of an example"),
        (OPENED, f"- open: {resource('examples', 'worked-example.npz')}", "line 4: expected the name of an example"),
        ("- open: worked-example", "- fly: away", "line 4: expected “- word: …” with one of open, make"),
        ("- open: worked-example\n", "", "line 3: expected “- open:”, “- make:”, “- model:” or “- words:” in the"),
        ("weights[1, 1]\n\n", "weights[7, 1]\n\n", "line 5: expected a cell such as weights[1, 1]"),
        ("- choose: weights[1, 1]", "- play: query[0, 0]", "line 5: expected a cell that is computed"),
        ("- choose: weights[1, 1]", "- show: nowhere", "line 5: expected a stage, “all”, “model”, “reach”, “target”"),
        ("- choose: weights[1, 1]", "- set: query[9, 9] = 1", "line 5: expected “field = JSON value”"),
        ("- choose: weights[1, 1]", f"- set: query[0, 0] = 1{'0' * 401}", "line 5: expected “field = JSON value”"),
        (OPENED, f'{OPENED}\n- set: dtype = "float32"\n- set: query[0, 0] = 1e300', "line 6: expected “field = JSON"),
        ("- choose: weights[1, 1]", "- holds: weights[1, 1] > 1", "got weights[1, 1] > 1 (0.6405 > 1)."),
        ("{weights[1, 1]:2} of", '{weights["\\d"]} of', "line 8: expected a"),
        ("{weights[1, 1]:2} of", "{__import__('os')} of", "line 8: expected an expression such as {weights[1, 1]}"),
        ("{weights[1, 1]:2} of", "{9 ** 9 ** 9 ** weights[5, 5]} of", "line 8: expected a number that the"),
        ("{weights[1, 1]:2} of", "{1/0} of", "line 8: expected a number that the problem of this step has, got 1 / 0."),
        ("{weights[1, 1]:2} of", "{n + sqrt(-1)} of", "got sqrt(-1)."),
        ("{weights[1, 1]:2} of", "{dot(query[1, :], value[1, :])} of", "got dot(query[1, :], value[1, :])."),
        ("of **key 1**", "of\n\nthe **key** and {scores[9,\n9]}", "line 10: expected a number that the"),
        ("of **key 1**", "of {**key 1**", "line 8: expected an expression such as {weights[1, 1]}"),
        ("- answer: sqrt(d_k)", "- answer: x", "line 15: expected an expression"),
        ("- answer: sqrt(d_k)", "- answer: log(0)", "expected an answer that is a finite number, got log(0)."),
        ("- answer: sqrt(d_k)", "- answer: scores[9, 9]", "line 15: expected a number that the"),
        ("of **key 1**", "of <b>key</b>", "line 8: expected plain text without HTML, got <b>"),
        ("of **key 1**", "x" * 3000, "line 8: expected at most 2000 letters in a line"),
        ("### 中文", "### Deutsch", "line 10: expected “### English”, “### 中文” or “### Question”"),
        ("键 1 的权重 {weights[1, 1]:2}。", "", "line 3: expected a text under “### English” and one under “### 中文”"),
        ("- answer: sqrt(d_k)\n", "", "line 14: expected “- ask:” and either “- answer:” or 2 to 8 choices"),
        ("- answer: sqrt(d_k)", "- [x] a | 甲\n- [ ] b | 乙\n- tolerance: 0.1", "line 17: expected “- tolerance"),
        ("- answer: sqrt(d_k)", "- [x] a | 甲\n- wrong: it | 它\n- [ ] b | 乙", "line 16: expected “- wrong: what"),
        ("- answer: sqrt(d_k)", "- answer: sqrt(d_k)\n- wrong: d_k", "line 16: expected “- wrong: number |"),
        ("- answer: sqrt(d_k)", "- answer: 2\n- wrong: 3 | it | 它\n- wrong: 2 | a | 甲", "line 17: expected a number"),
        ("- answer: sqrt(d_k)", "- answer: 2\n- tolerance: 7", "line 16: expected a number between 0 and 1"),
        ("- answer: sqrt(d_k)", "- answer: 2\n- tolerance: 1e-3", "written as 0.001, got 1e-3."),
        ("## Step | 步骤", "nothing", "line 3: expected a step that begins with"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, capsys, old, new, said):
    assert old in WHOLE
    assert main(["lesson", "check", str(lesson(tmp_path, WHOLE.replace(old, new, 1)))]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.startswith("attn-gui: In the lesson mine.md, ")
    assert told.count("\n") == 1


def test_lines_of_a_paragraph_are_joined_as_each_language_is_written(tmp_path):
    """English has blanks before √ and behind a quotation mark, too."""
    text = WHOLE.replace("of **key 1**", "of\n√d_k is “soft”\nand so on").replace("键 1 的权重", "键\n1 的\n权重，\n")
    (state,) = states_of(read_lesson(lesson(tmp_path, text)), PAGES)
    assert state.step.text.said("en", state.begin.number_source()) == "Weight 0.64 of √d_k is “soft” and so on."
    assert state.step.text.said("zh", state.begin.number_source()) == "键1 的权重，0.64。"


@each(
    ("number", "decimals", "said"),
    [
        (-0.0, None, "0"),  # the entropy of a row with one open key
        (-0.001, 2, "0.00"),
        (-0.0001, None, "−1.00e−4"),
        (np.exp(288.7), 3, "2.40e125"),
        (-np.inf, 2, "−∞"),
    ],
)
def test_a_number_is_written_without_a_sign_before_zero_and_without_invented_digits(number, decimals, said):
    assert written(number, decimals) == said


def test_a_problem_file_beside_the_lesson_is_opened(tmp_path):
    (tmp_path / "own.npz").write_bytes(resource("examples", "worked-example.npz").read_bytes())
    path = lesson(tmp_path, WHOLE.replace("worked-example", "own.npz"))
    assert len(states_of(read_lesson(path), PAGES)) == 1


# --- tables in Markdown that have the ending of lessons -------------------------------------------
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


@each("above", ["", "\n", "\ufeff", "# Q of head 0\n\n", "Q of head 0:\n\n", "# Q\n\nOf head 0:\n"])
def test_a_table_is_no_lesson_even_below_a_title(tmp_path: Path, above: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(above + TABLE, encoding="utf-8")
    assert not is_lesson(path)


def test_a_lesson_may_hold_a_table_further_down(tmp_path: Path) -> None:
    path = tmp_path / "a.MD"
    path.write_text("# A | 甲\n\n## S | 步\n\n### English\n" + TABLE, encoding="utf-8")
    assert is_lesson(path)
    assert all(map(is_lesson, resource("lessons").glob("*.md")))


# --- lessons that begin with a model --------------------------------------------------------------
TEXT = "k x b p f k x b p"
OFF = '[{"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0}]'
OF_A_MODEL = f"""# Title | 标题

## Step | 步骤
- model: toy-induction
- set: text = "{TEXT}"
- show: model
- do: layer = 1
- do: head = 2
- until: induction[layer, head] > 0.3

### English
Now {{probability["f"]:4}}.

### 中文
现在 {{probability["f"]:4}}。

## Off | 关闭
- set: layer = 0
- do: interventions = {OFF}
- until: probability["f"] < 0.01

### English
Now {{probability["f"]:4}}, before {{probability_before["f"]:4}}.

### 中文
现在 {{probability["f"]:4}}，之前 {{probability_before["f"]:4}}。
"""


@pytest.fixture
def states(tmp_path):
    return states_of(read_lesson(lesson(tmp_path, OF_A_MODEL)), PAGES)


def toy(**more):
    return open_model(resource("models", "toy-induction")).run(TEXT, **more)


def shares(logits):
    powers = np.exp(np.asarray(logits, float) - np.max(logits))
    return powers / powers.sum()


def off(layer, head):
    return {"layer": layer, "kind": "scale", "stage": "head_output", "at": {"head": head}, "factor": 0.0}


def test_probabilities_are_those_of_the_runs(states):
    run, fallen = toy(), toy(interventions=[off(0, 0)])
    f = run.token_id("f")
    begin, end = (scene.number_source() for scene in (states[1].begin, states[1].end))
    for number_source, now in ((begin, run), (end, fallen)):
        found = [expression(f'{name}["f"]').number(number_source) for name in ("probability", "probability_before")]
        assert found == pytest.approx([shares(now.logits[-1])[f], shares(run.logits[-1])[f]], rel=1e-4)
    without = [[shares(toy(interventions=[off(layer, head)]).logits[-1])[f] for head in range(4)] for layer in range(2)]
    found = [
        [expression(f'probability_without[{layer}, {head}, "f"]').number(begin) for head in range(4)]
        for layer in range(2)
    ]
    assert np.array(found) == pytest.approx(np.array(without), rel=1e-4)


def test_readings_of_heads_are_shares_of_their_weights(states):
    run, number_source = toy(), states[0].end.number_source()
    tokens, weights = run.tokens, run.attention(1)[2]
    after = [(i, j) for i in range(len(tokens)) for j in range(1, i + 1) if tokens[j - 1] == tokens[i] and j - 1 < i]
    induced = sum(weights[place] for place in after) / weights.sum()
    former = sum(weights[i, i - 1] for i in range(1, len(tokens))) / weights.sum()
    for text, number in (
        ("induction[layer, head]", induced),
        ("previous_token[1, 2]", former),
        ("10 * layer + head", 12),
    ):
        assert expression(text).number(number_source) == pytest.approx(number, abs=1e-6)


def test_a_task_is_done_by_what_is_there_and_not_by_the_way(states):
    first = states[0]
    assert not first.is_done(first.begin, first.begin.number_source())
    assert first.is_done(first.end, first.end.number_source())
    assert states[1].begin.study.layer == 0, "the next step begins where it says"


@each(
    ("old", "new", "said"),
    [
        ("toy-induction", "gpt-17", "line 4: expected the name of a model that comes along, got gpt-17."),
        ('"k x b p f k x b p"', '"' + "a " * 40 + '"', "line 5: expected “field = JSON value”"),
        ("layer = 1", "layer = 2", "line 7: expected “field = JSON value”"),
        ("head = 2", "head = true", "line 8: expected “field = JSON value”"),
        ("[layer, head] > 0.3", "[0, 0] > 0.3", "line 9: expected something that holds for the numbers of this step"),
        ("[layer, head] > 0.3", "[1, 2] > 0.3", "line 9: expected something that does not hold until the person has"),
        ('{probability["f"]:4}.', '{probability["F"]:4}.', "line 12: expected a number that the problem of this step"),
        ('{probability["f"]:4}.', '{"f"}.', "line 12: expected an expression such as"),
        ("- model: toy-induction\n- set: text = ", "- open: worked-example\n- set: text = ", "line 5: expected “field"),
    ],
)
def test_what_is_wrong_of_a_model_is_said_with_its_line(tmp_path, capsys, old, new, said):
    assert old in OF_A_MODEL
    assert main(["lesson", "check", str(lesson(tmp_path, OF_A_MODEL.replace(old, new, 1)))]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_problem_has_nothing_of_a_model(tmp_path):
    text = OF_A_MODEL[: OF_A_MODEL.index("- model")] + "- open: worked-example\n\n### English\nx\n\n### 中文\n字\n"
    (state,) = states_of(read_lesson(lesson(tmp_path, text)), PAGES)
    number_source = state.begin.number_source()
    for absent in ('probability["f"]', "induction[0, 0]", "layer", "weights[head, 0, 0]"):
        with pytest.raises(ExpressionError):
            expression(absent).number(number_source)


def test_a_model_too_large_to_be_run_without_each_head_has_no_such_number(states, monkeypatch):
    asked, number_source = expression('probability_without[0, 0, "f"]'), states[0].begin.number_source()
    assert 0 < asked.number(number_source) < 1
    monkeypatch.setattr(live_numbers, "MOST_PRODUCTS", 1 << 20)
    monkeypatch.setattr(live_numbers, "without_each_head", lambda run: pytest.fail("it takes minutes"))
    with pytest.raises(ExpressionError):
        asked.number(states[0].begin.number_source())
