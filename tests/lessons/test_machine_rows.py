"""Rows about machines that are not this one: what gpukit says there is what the lessons promise."""

from __future__ import annotations

from importlib.metadata import metadata

import pytest

import gpukit
from gpukit._system import steps
from gpukit._system.info import gather_info
from gpukit.doctor.diagnosis import diagnose
from support.broken_machines import MACHINES
from support.machines import Fake
from support.mode import PROJECT

LESSON = (PROJECT / "docs" / "lessons" / "05-setting-up.md").read_text("utf-8")


def told(code: str, folder) -> str:
    """What the doctor says on a machine of the collection."""
    fake = next(fake for fake in MACHINES if fake.code == code)
    return diagnose(fake.evidence(folder)).to_text()


def test_s0_05_notebooks_are_an_extra_and_no_framework_is_needed() -> None:
    about = metadata("gpukit")
    assert "notebook" in about.get_all("Provides-Extra")
    needed = [text.lower() for text in about.get_all("Requires-Dist") if "extra ==" not in text]
    assert any(text.startswith("numpy") for text in needed)
    assert not [text for text in needed if text.startswith(("torch", "nvidia-cu", "ipython"))]


def test_s0_32_a_mac_shows_its_chip_and_memory(tmp_path) -> None:
    sysctl = {"machdep.cpu.brand_string": "Apple M3 Pro", "hw.memsize": str(18 << 30)}
    machine = Fake("", system="Darwin", arch="arm64", sysctl=sysctl).build(tmp_path)
    text = gather_info(machine, stack=False, verify=False).to_text()
    assert "Apple M3 Pro" in text
    assert "18.0 GiB memory" in text


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("windows", ["wsl --install"]),
        ("wsl", ["driver", "Windows"]),
        ("macos", ["CUDA"]),
    ],
)
def test_s2_06_windows_and_wsl_have_a_plan(system: str, words: list[str]) -> None:
    plan = gpukit.doctor.plan(system)
    assert [word for word in words if word not in plan] == []
    if system == "wsl":  # a Linux driver inside WSL2 breaks the one of Windows
        assert "apt install nvidia-driver" not in plan


def test_s2_44_no_swap_is_told_with_the_commands(tmp_path) -> None:
    text = told("no-swap", tmp_path)
    assert "no swap" in text
    order = [text.index(word) for word in ("fallocate", "chmod 600", "mkswap", "swapon")]
    assert order == sorted(order)


def test_s2_44_more_than_the_host_has_is_refused_with_its_numbers() -> None:
    with pytest.raises(MemoryError, match=r"128 TiB; .* available"):
        gpukit.empty(1 << 45)


def test_s4_21_colab_s_menu_is_the_same_in_the_lesson_and_in_gpukit(tmp_path) -> None:
    machine = Fake("", env={"COLAB_RELEASE_TAG": "x"}).build(tmp_path)
    assert f"*{steps.COLAB}*" in LESSON
    assert steps.COLAB in steps.steps_here(machine)
    assert steps.COLAB in gpukit.cloud.steps("colab")


@pytest.mark.parametrize("menu", ["Change runtime type", "Settings > Accelerator"])
def test_s4_21_every_text_of_a_menu_that_gives_a_gpu_is_whole(menu: str) -> None:
    """A shortened copy in another file would send the reader to a menu that does not exist."""
    whole = steps.COLAB if "runtime" in menu else steps.KAGGLE
    other = "Change runtime type > Runtime version"  # another choice of the same menu
    for path in sorted((PROJECT / "python").rglob("*.py")):
        for line in path.read_text("utf-8").splitlines():
            assert menu not in line or whole in line or other in line, f"{path.name}: {line}"
