"""`doctor.explain` on error texts that people pasted, on hostile ones and on harmless ones."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path

import pytest

from gpukit.doctor import errors, explain
from gpukit.doctor.catalogue import rows
from gpukit.doctor.errors.answer import NOT_KNOWN, answer, find_causes
from gpukit.doctor.errors.literals import needed
from gpukit.doctor.errors.phrases import Surety, causes, own_causes, phrases
from gpukit.doctor.errors.plain_text import LONGEST, plain
from gpukit.doctor.evidence import Evidence
from support.broken_machines import MACHINES
from support.mode import PROJECT
from support.tools import load_tool

score_of = load_tool("explain_score")
UNIT = PROJECT / "tests" / "unit"
SETS = (
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
)
LATER = {name: UNIT / f"pasted_errors_{name}.jsonl" for name in SETS}
RECORDS = [
    json.loads(line)
    for line in (UNIT / "explain_scores.jsonl").read_text(encoding="utf-8").splitlines()
]
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB."


def named(text, here=None):
    """The codes of the causes, the surest first."""
    return [each.row.code for each in find_causes(text, here or Evidence())[0]]


def stated(text, here=None):
    """The codes of the causes that are stated as a fact."""
    findings = find_causes(text, here or Evidence())[0]
    return [each.row.code for each in findings if each.surety is Surety.CERTAIN]


def commands(explained):
    return [line for line in explained.splitlines() if line.startswith("  $ ")]


# ---- texts that people pasted


@pytest.mark.parametrize("name", ["first half", "second half", *LATER])
def test_no_score_falls_below_the_recorded_one(name):
    half = {"first half": 1, "second half": 2}.get(name)
    texts = score_of.read_texts(half, LATER.get(name, score_of.TEXTS))
    now = score_of.score(texts)
    floor = [each for each in RECORDS if each["set"] == name][-1]["score"]
    assert (now["wrong"], now["harmful"]) <= (floor["wrong"], floor["harmful"])
    assert now["harmful"] == 0
    assert now["named"] + now["likely"] >= floor["named"] + floor["likely"]
    assert now["named"] + now["likely"] >= 0.7 * now["texts"]


def test_the_texts_have_labels_that_exist():
    known = {*causes(), "not-known"}
    for path in (score_of.TEXTS, *LATER.values()):
        for entry in score_of.read_texts(None, path):
            assert known & {*entry["right"]}, entry
            assert not {*entry["right"]} & {*entry["harmful"]}, entry
            assert entry["thread"].startswith(("https://", "none: "))


# ---- what the text proves, and what it does not


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            f"{OOM} GPU 0 has a total capacity of 14.75 GiB of which 1.06 GiB is free. Process 12 "
            "has 13.68 GiB memory in use. Of the allocated memory 13.41 GiB is allocated by "
            "PyTorch, and 145.00 MiB is reserved by PyTorch but unallocated.",
            "own-memory-full",
        ),
        (
            f"{OOM} GPU 0 has a total capacity of 23.69 GiB of which 12.00 MiB is free. Process 77 "
            "has 22.90 GiB memory in use. Of the allocated memory 310.00 MiB is allocated by "
            "PyTorch, and 10.00 MiB is reserved by PyTorch but unallocated.",
            "oom-other-process",
        ),
        ("RuntimeError: CUDA error: out of memory", "own-memory-full"),
        ("RuntimeError: No CUDA GPUs are available", "no-gpu-visible"),
        ("CUDA error: invalid device ordinal", "device-index-too-large"),
        ('File "/content/a.py": Found no NVIDIA driver on your system', "colab-cpu-runtime"),
        ('File "/kaggle/working/a.py": Found no NVIDIA driver', "kaggle-accelerator-off"),
        ("AssertionError: Torch not compiled with CUDA enabled", "torch-cpu-wheel"),
        ("bash: nvidia-smi: command not found", "nvidia-smi-missing"),
        ("'nvidia-smi' is not recognized as an internal or external command", "nvidia-smi-missing"),
        ("cuInit(0) failed: CUDA_ERROR_UNKNOWN (999)", "driver-state-unknown"),
        ("NCCL error in: a.cpp:12, unhandled system error", "nccl-system-error"),
        ("CUDA error: no kernel image is available for execution", "no-code-for-card"),
    ],
)
def test_what_was_named_wrongly_is_named(text, first):
    assert named(text)[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: No CUDA GPUs are available",
        "CUDA error: invalid device ordinal",
        "CUDA error: out of memory",
        "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing "
        "env variable CUDA_VISIBLE_DEVICES after program start",
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate`",
        "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
        "nvidia-smi: command not found",
    ],
)
def test_no_machine_setting_is_stated_that_the_text_cannot_prove(text):
    settings = {"cvd-hides-all", "oom-other-process", "driver-not-installed", "cudnn-shadowed"}
    assert not settings & {*stated(text)}
    assert "This Colab runtime" not in answer(text, Evidence())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Tesla P100-PCIE-16GB with CUDA capability sm_60 is not compatible with the current "
         "PyTorch installation. The current PyTorch install supports CUDA capabilities sm_70 "
         "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120.", "arch-not-in-wheel-old"),
        ("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current "
         "PyTorch installation. The current PyTorch install supports CUDA capabilities sm_50 "
         "sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.", "arch-not-in-wheel-new"),
    ],
)  # fmt: skip
def test_the_card_of_the_text_decides_which_wheel(text, code):
    explained = answer(text, Evidence())
    assert explained.startswith(code)
    assert ("cu126" in explained) == (code == "arch-not-in-wheel-old")
    assert not ("cu130" in explained and code == "arch-not-in-wheel-old")


@pytest.mark.parametrize(
    "text", ["everything is on fire", "KeyError: 'label'", "mat1 and mat2 shapes cannot be "
             "multiplied (32x784 and 512x10)", "bash: foo: command not found", "loss is nan",
             "Segmentation fault (core dumped)", "No space left on device", "Using device: cuda",
             "NCCL version 2.20.5+cuda12.4", "GPU memory usage: 1200 MiB / 15360 MiB"]
)  # fmt: skip
def test_what_is_none_of_its_errors_is_not_known(text):
    assert named(text) == []
    assert explain(text) == NOT_KNOWN
    assert "$ gpukit doctor" in NOT_KNOWN


def test_errors_of_other_programs_name_no_cause():
    harmless = (UNIT / "harmless_errors.txt").read_text(encoding="utf-8").splitlines()
    assert len(harmless) > 80
    assert {text: named(text) for text in harmless if named(text)} == {}


@pytest.mark.parametrize("number", [13, 31, 43, 45, 48, 62, 63, 64, 74, 79, 94, 95, 119, 120, 140])
def test_a_line_of_the_kernels_log_is_named(number):
    line = f"[ 12.3] NVRM: Xid (PCI:0000:01:00): {number}, pid=1, name=python, Ch 00000010"
    assert stated(line)


# ---- the machine


@pytest.mark.parametrize(
    "fake", [m for m in MACHINES if m.code in {"cvd-hides-all", "nouveau-bound", "driver-too-old",
             "uvm-node-missing", "driver-library-mismatch"}], ids=lambda fake: fake.code
)  # fmt: skip
def test_the_machine_says_why_it_shows_no_gpu(fake, tmp_path):
    here = fake.evidence(tmp_path)
    explained = answer("RuntimeError: No CUDA GPUs are available", here)
    assert explained.startswith(f"likely {fake.code}:")
    assert "this machine:" in explained
    assert "no-gpu-visible" in explained


def test_the_machine_is_not_asked_about_a_text_from_elsewhere(tmp_path):
    fake = next(fake for fake in MACHINES if fake.code == "cvd-hides-all")
    text = 'File "/kaggle/working/a.py": No CUDA GPUs are available'
    here = fake.evidence(tmp_path)
    assert "cvd-hides-all" not in named(text, here)
    assert "The text is of Kaggle" in answer(text, here)


# ---- how a text arrives

TRACE = (
    'Traceback (most recent call last):\n  File "/home/me/train.py", line 12, in <module>\n'
    "    model.cuda()\nRuntimeError: CUDA error: no kernel image is available for execution on "
    "the device\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
)


@pytest.mark.parametrize(
    "shape",
    [
        lambda text: text,
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"        {line}\r\n" for line in text.splitlines()),
        lambda text: "".join(f"\x1b[31m{line}\x1b[0m\n" for line in text.splitlines()),
        lambda text: "".join(f"2025-01-02T03:04:05.6Z {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"[rank3]: {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"web-1  | {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"│ {line} │\n" for line in text.splitlines()),
        lambda text: json.dumps({"level": "error", "message": text}),
        lambda text: text.replace("kernel image", "kernel\nimage").replace("for exec", "for\nexec"),
        lambda text: text.replace("available", "avail\nable"),
        lambda text: text.upper(),
        lambda text: "step 1 of 100000\n" * 40_000 + text,
        lambda text: text + "step 1 of 100000\n" * 40_000,
        lambda text: "\u202e\u200b\ufeff" + text.replace("kernel", "ker\u200bnel") + "\0\0",
    ],
)
def test_the_deciding_line_is_found(shape):
    assert named(shape(TRACE))[0] == "no-code-for-card"


def test_evidence_is_quoted_with_its_line():
    assert 'the text says "no kernel image is available" (line 4)' in answer(TRACE, Evidence())


def test_several_errors_are_told_the_surest_first():
    codes = named(f"CUDA unknown error\n{TRACE}\nncclSystemError: System call failed")
    assert codes[0] == "no-code-for-card"
    assert {"nccl-system-error", "driver-state-unknown"} <= {*codes}
    assert codes[-1] == "driver-state-unknown"


def test_an_error_around_a_table_is_told_with_it():
    from support import smi_texts

    explained = explain(f"{smi_texts.T4_TODAY}\n{TRACE}")
    assert explained.startswith("no-code-for-card")
    assert "Tesla T4" in explained


# ---- hostile texts

HOSTILE = [
    "; rm -rf /", "`rm -rf /`", "$(rm -rf /)", "\n  $ rm -rf /\n", "\r  $ rm -rf /",
    "\x1b]0;rm -rf /\x07", "\x1b[2J\x1b[1;1H$ rm -rf /", "\0rm -rf /", "\u202e/ fr- mr",
    "'; rm -rf / #", '" && rm -rf / "', "|| rm -rf /", "%0a rm -rf /", "\u2028rm -rf /",
]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_pasted_word_becomes_part_of_a_command(hostile):
    texts = {entry["text"] for entry in score_of.read_texts()}
    for text in sorted(texts)[::4]:
        spoilt = answer(f"{hostile} {text} {hostile}", Evidence())
        assert not [line for line in commands(spoilt) if "rm -rf" in line]
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", spoilt)


def test_words_between_the_matched_ones_stay_quoted():
    text = "libcudnn.so.8; rm -rf ~ `id` $(id): cannot open shared object file"
    assert not [
        line for line in commands(answer(text, Evidence())) if "rm" in line or "id)" in line
    ]


def test_every_command_of_a_cause_is_fixed_text():
    """The evidence alone makes commands: two texts of a cause get the same ones."""
    of_cause = {code: {causes()[code].fix(Evidence()).commands} for code in own_causes()}
    sets = [score_of.read_texts(None, path) for path in (score_of.TEXTS, *LATER.values())]
    for entry in [entry for each in sets for entry in each]:
        for each in find_causes(entry["text"], Evidence())[0]:
            if each.fix is not None:
                of_cause.setdefault(each.row.code, set()).add(each.fix.commands)
    allowed = re.compile(r"[\w .,:;<>=!?*+/@%$#|&'\"()\[\]{}\\~^-]{1,250}")
    for code, kinds in of_cause.items():
        for each in (command for kind in kinds for command in kind):
            assert allowed.fullmatch(each), (code, each)


def _blow(word, size):
    return word * (size // len(word))


@pytest.mark.parametrize(
    "word",
    [
        "nccl", "cuda error ", "libcudnn", "out of memory", " ", "\n", "GiB is free ", "a", "\x1b[",
        '{"\\n', "xid 1", "CUDA_ERROR_", "| ", "\u202e", "\0", "1.0 GiB ", "no kernel image",
        "[rank1]: ",
    ],
)  # fmt: skip
def test_ten_megabytes_take_bounded_time(word):
    start = time.process_time()
    answer(_blow(word, 10_000_000), Evidence())
    assert time.process_time() - start < 20


def test_random_texts_end_and_never_raise():
    random.seed(3)
    words = [word for entry in score_of.read_texts() for word in entry["text"].split()]
    letters = [*"ab19 .:/\\\n\r\t\"'`${}()[]|\0\x1b\u202e\ufeff\U0001f600é", *words]
    for _ in range(150):
        text = "".join(random.choices(letters, k=random.randrange(1, 200)))
        assert isinstance(answer(text, Evidence()), str)
        text = " ".join(random.choices(words, k=random.randrange(1, 60)))
        assert isinstance(answer(text, Evidence()), str)


def test_a_surrogate_or_a_cut_escape_is_read():
    for text in ("\ud800 CUDA out of memory", "CUDA out of memory\x1b[", "CUDA out of memory\x1b"):
        assert named(text)[0] == "own-memory-full"


def test_patterns_have_no_unbounded_repetition():
    for phrase in phrases():
        bare = re.sub(r"\\.|\[[^\]]*\]", "x", phrase.pattern)
        assert not re.search(r"[*+]|\{\d*,\}", bare), phrase.pattern


def test_a_pattern_is_left_out_only_where_it_cannot_match():
    sets = [score_of.read_texts(None, path) for path in (score_of.TEXTS, *LATER.values())]
    texts = [plain(entry["text"]).lower for each in sets for entry in each]
    for phrase in phrases():
        bare = re.compile(phrase.pattern, re.DOTALL)
        for text in texts[::2]:
            found, meant = phrase.find(text, squeezed=False), bare.search(text)
            assert (found and found.span()) == (meant and meant.span()), phrase.pattern


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("out of memory", {"out of memory"}),
        (r"no (gpu|cuda) (was )?found", {"found"}),
        (r"(cuda|hip) ?err", {"cuda", "hip"}),
        (r"abcd?ef{0,2}g|[x|)]{2}yyy\.z", {"abc", "yyy.z"}),
        (r"(?<!no )(?P<kind>one|two)\b", {"one", "two"}),
        (r"a?b?|word", set()),
        (r"(maybe)?\d{1,3}", set()),
    ],
)
def test_the_words_that_a_pattern_needs(pattern, words):
    assert needed(pattern) == words


def test_what_is_left_out_of_a_long_text_is_its_middle():
    filler = "x" * LONGEST
    assert named(f"{filler}{OOM}") == named(f"{OOM}{filler}") == named(OOM)
    assert named(f"{filler}\n{OOM}\n{filler}") == []


# ---- the catalogue


def test_every_guess_names_a_cause_that_exists():
    folder = Path(errors.__file__).parent
    guess = re.compile(r'(?:certain|likely|possible|Guess)\(\s*"([^"]+)"')
    codes = {code for path in folder.glob("*.py") for code in guess.findall(path.read_text())}
    assert len(codes) > 100
    assert codes <= {*causes()}


def test_causes_of_texts_have_titles_fixes_and_no_row_of_that_name():
    own = {*causes()} - {row.code for row in rows()}
    assert len(own) >= 80
    for code in own:
        fix = causes()[code].fix(Evidence())
        assert causes()[code].title.endswith("."), code
        assert fix.text.endswith((".", ":")), code
        assert all("\n" not in command for command in fix.commands), code
