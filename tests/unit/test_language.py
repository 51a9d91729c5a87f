"""Chinese: what is shown is translated as a whole; data, and English, stay what they are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

import gpukit
from gpukit import _cli, _language, cli
from gpukit._cli.command import wrapped
from gpukit._language.matching import Sentences, into
from gpukit.doctor.diagnosis import diagnose
from gpukit.doctor.errors.answer import answer
from gpukit.doctor.errors.phrases import causes
from gpukit.doctor.evidence import Evidence
from gpukit.report import Column, Page, Section, Table
from support.broken_machines import HEALTHY, MACHINES
from support.mode import PROJECT

# What may stay: quoted words of others, names in brackets, options and commands.
QUOTED = re.compile(r"“[^”]*”|'[^']*'|`[^`]*`|（[^）]*）|\([^)]*\)")
STAYS = re.compile(r"\S*[/_=]\S*|--\S+( \S+)?")
SENTENCE = re.compile(r"\b[A-Za-z][a-z']*(?: [a-z']{2,}){2,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
LETTERS = re.compile(r"[a-z]{3,}")
PASTED = [
    json.loads(line)["text"]
    for line in (PROJECT / "tests/unit/pasted_errors.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture
def chinese():
    gpukit.set_language("zh")
    yield
    gpukit.set_language(None)


def english_left(text: str) -> list[str]:
    """Lines with an English sentence, but for commands and what machines say."""
    lines = [line for line in text.splitlines() if not line.strip().startswith("$ ")]
    said = ("NVML failed", "cuInit：", "not supported on", "system not ready")
    return [
        line
        for line in lines
        if SENTENCE.search(STAYS.sub("", QUOTED.sub("", line)))
        and not any(word in line for word in said)
    ]


# ---- choosing


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("zh", "zh"), ("zh_CN", "zh"), ("zh-TW", "zh"), ("zh_HK.UTF-8", "zh"), ("zh-Hans", "zh"),
        ("Chinese", "zh"), ("en", "en"), ("en_GB.UTF-8", "en"), ("English", "en"),
    ],
)  # fmt: skip
def test_names_of_languages(name, language):
    gpukit.set_language(name)
    try:
        assert gpukit.get_language() == language
    finally:
        gpukit.set_language(None)
    assert gpukit.get_language() == "en"


def test_wrong_names():
    with pytest.raises(ValueError, match=r"set_language: there is no 'fr'; known: 'en', 'zh'"):
        gpukit.set_language("fr")
    with pytest.raises(TypeError, match="language must be a str or None, got 7"):
        gpukit.set_language(7)


def run(*arguments, code=None, **variables):
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "gpukit"]
    drop = {"LC_ALL", "LC_MESSAGES", "LANG", "GPUKIT_LANG"}
    environment = {k: v for k, v in os.environ.items() if k not in drop}
    return subprocess.run(
        [*command, *arguments],
        env={**environment, "PYTHONUTF8": "1", **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "zh_TW.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_MESSAGES": "en_US", "LANG": "zh_CN"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "GPUKIT_LANG": "en"}, "en"),
        ({}, "en"),
    ],
)
def test_the_command_line_follows_the_locale(variables, language, monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "GPUKIT_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(_language, "_screen", None)
    gpukit.set_language(None)
    assert gpukit.get_language() == variables.get("GPUKIT_LANG", "en")
    _language.follow_locale()
    assert gpukit.get_language() == language
    gpukit.set_language(None)


def test_text_is_in_the_locales_language_and_json_in_english():
    cost = ("cloud", "breakeven", "300", "10", "0.5")
    assert "购买更便宜" in run(*cost, LANG="zh_CN.UTF-8").stdout
    shown = json.loads(run(*cost, "--json", LANG="zh_CN.UTF-8").stdout)
    assert shown["text"].startswith("Buying is cheaper")


@pytest.mark.parametrize("command", [None, *_cli.NAMES])
def test_help_is_in_the_language_and_fits_a_terminal(command, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    gpukit.set_language("zh")
    with pytest.raises(SystemExit):
        cli.main([*([command] if command else []), "--help"])
    gpukit.set_language(None)
    text = capsys.readouterr().out
    head, *rest = text.split("\n\n")
    assert head.startswith("用法")
    english = [s for s in SENTENCE.findall(STAYS.sub("", "\n".join(rest))) if "gpukit" not in s]
    assert english == []
    wide = [line for line in text.splitlines() if cell_len(line) > 60]
    assert wide == []


@pytest.mark.parametrize("name", ["lint", "port"])
def test_what_is_found_in_a_file_is_told_in_the_language(name, chinese, tmp_path, capsys):
    file = tmp_path / "a.py"
    file.write_text(
        "import time\nimport torch\nx = torch.rand(9, 9, device='cuda')\ny = x @ x\n"
        "start = time.time()\ny = x @ x\nprint(time.time() - start)\n"
        "z = torch.rand(3, foo=1).to('mps').sparse_mask()\nprint(torch.zeroz(3))\n"
    )
    for form in ("full", "concise"):
        cli.main([name, "--output-format", form, str(file)])
    cli.main([name, str(tmp_path / "none.py")])
    shown = capsys.readouterr()
    code = re.compile(r"^(\d* \||[-+ @]|.*-->|\s*\|).*", re.MULTILINE)
    assert english_left(code.sub("", shown.out)) == []
    assert english_left(shown.err) == []
    for form in ("json", "sarif", "github"):
        cli.main([name, "--output-format", form, str(file)])
    assert not CHINESE.search(capsys.readouterr().out)


def test_each_rule_of_the_linter_is_translated(chinese):
    from gpukit.lint.checking import rules

    commands = re.compile(r"import gpukit as torch|pip (un)?install \S+")
    texts = [commands.sub("", _language.shown(rule.message)) for rule in rules().values()]
    assert all(map(CHINESE.search, texts))
    assert [text for text in texts if english_left(text)] == []


def test_tables_of_plans_and_benchmarks_have_no_english_cells(chinese):
    x = gpukit.rand(8, 8)
    net = gpukit.nn.Linear(8, 8)
    adam = gpukit.optim.Adam
    fit = repr(gpukit.fit(net, x, optimizer=adam, card="T4"))
    assert "优化器状态" in fit and "放得下" in fit
    assert "预测：从" in repr(gpukit.what_if(lambda: x @ x, cards=["T4"]))
    assert not LETTERS.search(re.sub("cuBLAS|[KMG]iB|T4|CPU", "", fit))
    rows = ("one call, 2 products", "scaling: 3 × x on 2 devices", "h2d pageable", "d2h pinned")
    rows += ("float32 product", "with both copies: the GPU wins from n = 181 on.", "container")
    rows += (repr(gpukit.cloud.breakeven(600, 20, 0.30)),)
    shown = (re.sub("float32|n = ", "", _language.shown(row)) for row in rows)
    assert [row for row in shown if LETTERS.search(row)] == []


def test_names_stay_as_they_are_typed():
    chinese = into("zh_CN")
    assert chinese("argument X: there is no 'a'; known: info, new, size") == (
        "参数 X：没有 'a'；可用：info, new, size"
    )
    assert chinese("gpukit's rand() has no argument 'n'; it takes size, device").endswith(
        "它接受 size, device"
    )


def test_words_of_a_pasted_error_are_shown_as_they_are():
    chinese = into("zh_CN")
    assert chinese('the text says "CUDA out of memory" (line 1)') == (
        "文字里有“CUDA out of memory”（第 1 行）"
    )
    assert "“Found no NVIDIA driver”" in chinese('the text says "Found no NVIDIA driver" (line 2)')


def test_code_in_tables_is_not_translated(chinese):
    columns = [Column("a", "operator", code=True), Column("b", "where")]
    table = Table("Sizes", columns, [{"a": "all", "b": "all"}])
    for text in (table.to_text(), table.to_html(), table.to_markdown()):
        assert "all" in text and "全部" in text


def test_a_new_project_is_told_in_the_language(chinese, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", "study"]) == 0
    assert "下一步：cd study && python train.py" in capsys.readouterr().out
    assert cli.main(["new", "study"]) == 1
    assert capsys.readouterr().err == "gpukit: new：'study' 已存在，不会覆盖；请换一个名字\n"


def test_wrong_usage_is_told_in_the_language(capsys):
    gpukit.set_language("zh")
    for words in (["cloud", "advce"], ["cloud", "breakeven"], ["monitor", "-n", "x"]):
        with pytest.raises(SystemExit):
            cli.main(words)
    gpukit.set_language(None)
    told = capsys.readouterr().err
    assert "是不是 'advice'" in told
    assert "缺少以下必需参数" in told
    assert "不是整数" in told


def test_advice_is_wrapped_at_the_terminals_width():
    text = "- " + "先用免费的，再租用。" * 8 + " gpukit.cloud.recommend(need_gb=8)"
    lines = wrapped(text, 40)
    assert max(map(cell_len, lines)) <= 40
    assert lines[0].startswith("- ")
    assert {line[:2] for line in lines[1:]} == {"  "}
    assert "".join(line.strip() for line in lines).replace(" ", "") == text.replace(" ", "")
    assert wrapped("short", 40) == ["short"]


X, Y = gpukit.ones(2, 3), gpukit.ones(4, 5)
MISTAKES = {
    "linear": lambda: gpukit.nn.Linear(4, 2)(X),
    "classes": lambda: gpukit.nn.CrossEntropyLoss()(X, gpukit.tensor([0, 1, 2])),
    "backward": lambda: gpukit.ones(2, 3, requires_grad=True).mul(2).backward(),
    "no graph": lambda: gpukit.autograd.grad(X.sum(), X),
    "indices": lambda: X[0, 0, 0],
    "mask": lambda: X[gpukit.tensor([True, False, True])],
    "assignment": lambda: X.__setitem__(0, Y),
    "number": lambda: float(X),
    "ragged": lambda: gpukit.tensor([[1, 2], [3]]),
    "cat": lambda: gpukit.cat([X, Y]),
    "stack": lambda: gpukit.stack([X, Y]),
    "empty": lambda: gpukit.cat([]),
    "permute": lambda: X.permute(0),
    "expand": lambda: X.expand(3, 3),
    "size": lambda: gpukit.zeros(-1),
    "step": lambda: gpukit.arange(0, 5, 0),
    "missing": lambda: gpukit.nn.Linear(2, 3).load_state_dict({}),
    "dtype": lambda: gpukit.nn.Embedding(3, 2)(X),
    "dimensions": lambda: gpukit.nn.Conv2d(3, 4, 3)(X),
    "channels": lambda: gpukit.nn.Conv2d(3, 4, 3)(gpukit.ones(1, 2, 8, 8)),
    "features": lambda: gpukit.nn.BatchNorm1d(4)(X),
    "one row": lambda: gpukit.nn.BatchNorm1d(3)(X[:1]),
    "probability": lambda: gpukit.nn.Dropout(2),
    "batch": lambda: gpukit.utils.data.DataLoader([1], batch_size=0),
    "copy": lambda: X.copy_(Y),
    "half": lambda: X.half() @ X.T,
    "einsum": lambda: gpukit.einsum("ij,jk", X, X),
    "square": lambda: gpukit.inverse(X),
    "split": lambda: X.split([1, 3]),
    "reduction": lambda: gpukit.nn.functional.cross_entropy(X, X, reduction="meen"),
    "low": lambda: gpukit.randint(5, 2, (3,)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_learners_mistake_is_told_in_chinese(name):
    with pytest.raises(gpukit.GpukitError) as caught:
        MISTAKES[name]()
    gpukit.set_language("zh")
    told = str(caught.value)
    gpukit.set_language(None)
    assert CHINESE.search(told)
    assert SENTENCE.findall(STAYS.sub("", QUOTED.sub("", told))) == []
    assert _language.english(told) == str(caught.value)


def test_a_library_does_not_follow_the_locale():
    code = "import gpukit\ntry: gpukit.device('cude:0')\nexcept ValueError as e: print(e)"
    assert "is not a device" in run(code=code, LANG="zh_CN.UTF-8").stdout
    assert "不是设备" in run(code=code, GPUKIT_LANG="zh").stdout


def test_an_unknown_language_warns_once():
    code = "import gpukit; print(gpukit.get_language(), gpukit.get_language())"
    done = run(code=code, GPUKIT_LANG="tlh")
    assert done.stdout.split() == ["en", "en"]
    assert done.stderr.count("GPUKIT_LANG='tlh' is not used") == 1


def test_english_needs_no_catalogue():
    code = (
        "import sys, gpukit; gpukit.info().to_text(); str(gpukit.DeviceError('x'))\n"
        "print('gpukit._language.matching' in sys.modules)"
    )
    assert run(code=code).stdout.strip() == "False"


# ---- what is shown


@pytest.mark.parametrize("fake", MACHINES, ids=[fake.code for fake in MACHINES])
def test_every_check_of_the_doctor(fake, tmp_path, chinese):
    diagnosis = diagnose(fake.evidence(tmp_path))
    shown = diagnosis.to_text()
    assert english_left(shown) == []
    data = diagnosis.to_json()
    gpukit.set_language("en")
    assert diagnosis.to_json() == data
    for check in diagnosis.problems:
        assert (check.command or "").splitlines() == [
            line[6:] for line in shown.splitlines() if line.startswith("    $ ")
        ] or len(diagnosis.problems) > 1


def test_titles_and_fixes_of_all_causes():
    chinese = into("zh_CN")
    for row in causes().values():
        for text in (row.title, row.fix(Evidence()).text):
            assert re.search(r"[\u4e00-\u9fff]", chinese(text)), text
            assert english_left(chinese(text)) == [], text


@pytest.mark.parametrize("part", range(4))
def test_explanations_of_pasted_errors(part):
    chinese = into("zh_CN")
    for text in PASTED[part::4]:
        assert english_left(chinese(answer(text, Evidence()))) == []


def test_plans_steps_and_advice(chinese):
    for system in ("ubuntu", "fedora", "windows", "wsl", "colab", "kaggle", "docker", "macos"):
        plan = gpukit.doctor.plan(system)
        comments = [line.partition("# ")[2] for line in plan.splitlines() if "# " in line]
        assert [line for line in comments if english_left(line)] == []
        assert all(len(line) < 100 for line in plan.splitlines() if line.startswith("#"))
    for name in ("colab", "kaggle", "aws", "azure"):
        assert english_left(gpukit.cloud.steps(name)) == []
    assert english_left(gpukit.cloud.advice("buy") + gpukit.cloud.advice("rent")) == []


def test_tables_and_pages(chinese):
    table = Table(
        "Sizes", [Column("a", "memory"), Column("b", "answer")], [{"a": 1, "b": "failed"}]
    )
    for form in (table.to_text(), table.to_html(), table.to_markdown()):
        assert "内存" in form
        assert "失败" in form
    assert table.to_csv() == "a,b\n1,failed\n"
    page = Page("Self test", notes=["none was found"], sections=[Section("Libraries", code="ls")])
    for form in (page.to_text(), page.to_html(), page.to_markdown()):
        assert "自检" in form
        assert "没有找到" in form
        assert "ls" in form


def test_bench_speaks_chinese(chinese):
    result = gpukit.bench(lambda: None, name="nothing", repeats=3, device="cpu", verbose=False)
    assert "普通秒表" in result.explain()
    assert "± 离散" in str(result.to_table())
    assert english_left(str(gpukit.cloud())) == []
    assert english_left(str(gpukit.vendors())) == []


def test_try_gpu_and_errors(chinese, capsys):
    gpukit.try_gpu(60)
    assert "改用 CPU" in capsys.readouterr().err
    with pytest.raises(gpukit.InvalidDeviceError) as caught:
        gpukit.device("cude:0")
    assert "你是不是想写 'cuda:0'" in str(caught.value)
    assert caught.value.args[0].startswith("'cude:0' is not a device")
    with pytest.raises(gpukit.ShapeError) as caught:
        gpukit.ones(2, 3) @ gpukit.ones(2, 3)
    assert "内侧的大小 3 与 2 不同" in str(caught.value)
    assert caught.value.fix == "X @ Y.T"


# ---- from a text to its message


def test_a_field_is_translated_too():
    chinese = Sentences([("it failed: {why}", "失败：{why}"), ("no GPU", "没有 GPU")], LETTERS)
    assert chinese("it failed: no GPU") == "失败：没有 GPU"
    assert chinese("it failed: no GPU. it failed: 7.") == "失败：没有 GPU。失败：7。"
    assert chinese("  - no GPU") == "  - 没有 GPU"


def test_words_of_others_stay():
    chinese = into("zh_CN")
    for text in ("", "x", "def f(): pass", "A sentence that nobody of us wrote.", "{index}"):
        assert chinese(text) == text


def test_what_it_cannot_read_ends_soon():
    chinese = into("zh_CN")
    for text in ("a, " * 50, "(" * 900, "GPU 0: " * 140, "no GPU. " * 20, "x" * 30_000):
        chinese(text)


def test_explain_reads_both_languages(chinese):
    for error in (
        lambda: gpukit.ones(1, device="cuda:60"),
        lambda: gpukit.ones(2, 3) @ gpukit.ones(2, 3),
    ):
        with pytest.raises(gpukit.GpukitError) as caught:
            error()
        assert _language.english(str(caught.value)) != str(caught.value)
    text = "没有 CUDA 驱动：查找过的 9 个位置都没有 libcuda.so.1，"
    text += "所以这台机器或容器没有 NVIDIA 驱动。"
    there = (
        "no CUDA driver: libcuda.so.1 is in none of the 9 places searched, so this machine or "
        "container has no NVIDIA driver."
    )
    assert _language.english(text) == there
    assert gpukit.doctor.explain(text) == gpukit.doctor.explain(there)
    assert "no-driver-found" in gpukit.doctor.explain(text)


def test_healthy_machines_too(tmp_path, chinese):
    for place, fake in HEALTHY.items():
        folder = tmp_path / str(place)
        folder.mkdir()
        assert english_left(diagnose(fake.evidence(folder)).to_text()) == []
