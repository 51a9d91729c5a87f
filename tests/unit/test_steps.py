"""What to do on each platform comes from one source; no text names a missing package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gpukit
from gpukit import _core, cloud, doctor
from gpukit._names import plural
from gpukit._system import info, installing, platforms, steps, vendors
from gpukit.cloud.offers import offers
from gpukit.doctor.catalogue import rows
from gpukit.doctor.diagnosis import diagnose, lights_of
from gpukit.doctor.evidence import Evidence
from gpukit.doctor.setup_plan import SYSTEMS
from support.broken_machines import HEALTHY, MACHINES
from support.machines import DOCKER, NO_DRIVER, WSL_KERNEL, Fake, library, pci

FOLDER = Path(gpukit.__file__).parent
ABSENT = {"cause": "driver_not_found"}
WAYS = {
    "colab": (Fake("", env={"COLAB_RELEASE_TAG": "x"}), "Runtime > Change runtime type > Hardware"),
    "kaggle": (Fake("", env={"KAGGLE_URL_BASE": "x"}), "Settings > Accelerator > GPU T4 x2"),
    "studio lab": (Fake("", files={"/home/studio-lab-user/a": ""}), "Compute type: GPU"),
    "wsl2": (Fake("", kernel=WSL_KERNEL, files={"/dev/dxg": ""}), "wsl --update"),
    "docker": (Fake("", files=DOCKER), "docker run --gpus all IMAGE"),
    "linux with a card": (Fake("", files=pci("1eb8")), "gpukit doctor --plan"),
    "linux without": (Fake(""), "gpukit cloud"),
    "mac": (Fake("", system="Darwin"), "macOS has no CUDA"),
    "windows": (Fake("", system="Windows"), "wsl --install"),
    "slurm": (Fake("", env={"SLURM_JOB_ID": "3"}), "--gres=gpu:1"),
    "aws": (Fake("", files={"/sys/class/dmi/id/sys_vendor": "Amazon EC2"}), "g4dn.xlarge"),
}


@pytest.mark.parametrize("name", WAYS)
def test_errors_and_notes_name_the_platform_s_steps(name, tmp_path, monkeypatch, capsys):
    fake, words = WAYS[name]
    machine = fake.build(tmp_path)
    told = steps.steps_here(machine)
    assert words in told
    monkeypatch.setattr(steps, "steps_here", lambda: told)
    kinds = (gpukit.DeviceNotFoundError, gpukit.DriverError)
    for error in (kind("words", details=ABSENT) for kind in kinds):
        assert told in str(error)
        assert str(error).count(told) == 1
    fault = gpukit._device.Fault("words", ABSENT)
    monkeypatch.setattr(gpukit._device, "fault_at", lambda *_, **__: fault)
    monkeypatch.setattr(gpukit._device, "_noted", set())
    monkeypatch.delenv("GPUKIT_QUIET", raising=False)
    assert gpukit.try_gpu(0).type == "cpu"
    assert told in capsys.readouterr().err
    with pytest.raises(gpukit.DeviceNotFoundError) as caught:
        gpukit.try_gpu(0, strict=True)
    assert told in str(caught.value)
    assert told in gpukit.cuda.why_unavailable()


@pytest.mark.parametrize("name", ["colab", "kaggle", "mac", "wsl2", "docker"])
def test_the_doctor_says_the_same(name, tmp_path):
    fake, words = WAYS[name]
    evidence = fake.evidence(tmp_path)
    evidence.cuda = NO_DRIVER
    if name == "docker":
        evidence.module = "580.82.07"  # of the host
    text = diagnose(evidence).to_text()
    assert words in text


def test_every_platform_has_steps():
    for name in platforms.LABELS:
        told = steps.steps(platforms.Platform(name, container="docker" * (name == "container")))
        assert len(told) > 20
        assert told.rstrip().endswith((".", "e"))
    for details in ({}, {"cause": "driver_search_off"}, {"status": 999}):
        assert not steps.told_steps(details)


@pytest.mark.parametrize("fake", [*MACHINES, *HEALTHY.values()])
def test_info_vendors_and_the_doctor_agree_about_hardware(fake, tmp_path):
    machine = fake.build(tmp_path)
    evidence = fake.evidence(tmp_path / "again")
    evidence.cuda = None
    seen = lights_of(evidence)["hardware present"]
    assert info._lights(machine, [], {})["hardware present"] == seen
    assert info._cuda_light(machine, []).hardware == seen
    here = vendors.vendors(machine).rows[-1]["cuda"]
    assert here == ("found" if seen else "not found")


@pytest.mark.parametrize(
    "files",
    [{"/dev/nvidiactl": ""}, {"/dev/nvidiactl": "", "/dev/nvidia-uvm": ""}, {"/dev/dxg": ""},
     library("580.82.07"), {"/dev/nvidiactl": ""} | library("580.82.07")],
)  # fmt: skip
def test_what_a_library_leaves_is_no_hardware(files, tmp_path):
    machine = Fake("", files=files).build(tmp_path)
    assert vendors.nvidia_evidence(machine) == []
    assert not info._lights(machine, [], {})["hardware present"]


def test_a_colab_runtime_without_gpu_is_known_though_libcuda_made_a_node(tmp_path):
    fake = Fake("", env={"COLAB_RELEASE_TAG": "x"}, nodes={"/dev/nvidiactl": "ok"}, cuda=NO_DRIVER)
    assert diagnose(fake.evidence(tmp_path)).problems[0].id == "colab-cpu-runtime"


# What would tell to fetch gpukit from an index.
FETCHES = re.compile(r"pip[0-9]? install (?:-\S+ )*['\"]?gpukit")


def _shown_texts() -> list[str]:
    texts = [doctor.plan(system) for system in SYSTEMS]
    texts += [cloud.steps(offer.name) for offer in offers()]
    texts += [
        str(doctor.compat(driver, card).to_dict())
        for driver, card in (("580.82.07", "T4"), ("470.82", "K80"), ("535.54.03", "Tesla P100"))
    ]
    for name in platforms.LABELS:
        place = Evidence(platform=platforms.Platform(name))
        texts += [str(row.fix(place)) for row in rows()]
    texts += [installing.command(extra) for extra in ("", "io", "plot", "cublas", "dtypes")]
    return [*texts, installing.in_a_cell(), installing.in_words()]


def test_no_text_of_a_development_version_fetches_it_from_an_index():
    assert _core.install_command("", "0.2.0.dev0") == "pip install ."
    texts = _shown_texts()
    assert len(texts) > 100
    told = [text for text in texts if FETCHES.search(text)]
    assert bool(told) == ("dev" not in gpukit.__version__)


def test_no_source_has_the_line_written_out():
    own = {"installing.py"}
    found = [
        str(path)
        for path in FOLDER.rglob("*.py")
        if path.name not in own and FETCHES.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("version", "extra", "command"),
    [
        ("1.0.0", "", "pip install gpukit"),
        ("1.0.0", "io", "pip install 'gpukit[io]'"),
        ("1.0.0rc1", "", "pip install gpukit"),
        ("1.1.0.dev3", "", "pip install ."),
        ("1.1.0.dev3", "plot", "pip install matplotlib"),
        ("1.1.0.dev3", "all", "pip install '.[all]'"),
    ],
)
def test_the_command_goes_by_the_version(version, extra, command):
    assert installing.command(extra, version=version) == command


def test_a_release_is_taken_from_the_index_everywhere():
    assert installing.in_a_cell(version="1.0.0") == "%pip install gpukit"
    assert installing.in_words(version="1.0.0") == "pip install gpukit"
    assert installing.in_a_cell(version="1.1.0.dev0") == "%pip install PATH/gpukit-1.1.0.dev0-….whl"


NAMES = {
    "ubuntu": "ubuntu", "Ubuntu 24.04 LTS": "ubuntu", "debian 12": "debian", "Fedora": "fedora",
    "fedora 42": "fedora", "rhel": "rhel", "centos": "rhel", "rocky 9": "rhel", "arch": "arch",
    "manjaro": "arch", "windows": "windows", "Windows 11": "windows", "wsl": "wsl", "wsl2": "wsl",
    "macos": "macos", "mac": "macos", "darwin": "macos", "colab": "colab", "kaggle": "kaggle",
    "docker": "docker", "podman": "docker", "jetson": "jetson", "studio-lab": "sagemaker-studiolab",
    "opensuse": "suse", "linuxmint": "ubuntu", "pop": "ubuntu",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_for_each_name_that_people_use(name):
    assert doctor.plan(name) == doctor.plan(NAMES[name])


@pytest.mark.parametrize(
    ("system", "words", "never"),
    [
        ("windows", ["wsl --install", "setx CUDA_VISIBLE_DEVICES", "Never setx PATH"], ["apt"]),
        ("macos", ["macOS has no CUDA", "Colab"], ["sudo", "nvcc", "CUDA_VISIBLE_DEVICES"]),
        ("fedora", ["akmod-nvidia", "rpmfusion"], ["apt"]),
        ("colab", [steps.COLAB.split(" >")[0], "%pip install"], ["sudo", "venv"]),
        ("kaggle", ["GPU T4 x2", "%pip install"], ["sudo", "venv"]),
        ("docker", ["nvidia-container-toolkit", "--gpus all"], ["nvidia-driver-"]),
        ("jetson", ["nvidia-jetpack"], ["ubuntu-drivers"]),
        ("wsl", ["wsl --update", "Install no driver inside WSL"], ["ubuntu-drivers", "setx"]),
    ],
)
def test_a_plan_says_what_its_system_needs(system, words, never):
    text = doctor.plan(system)
    assert [word for word in words if word not in text] == []
    assert [word for word in never if word in text] == []


@pytest.mark.parametrize(("name", "near"), [("windovs", "windows"), ("ubuuntu", "ubuntu"),
                                            ("fedroa", "fedora"), ("kagle", "kaggle")])  # fmt: skip
def test_a_mistyped_system_is_answered_with_the_near_one(name, near):
    with pytest.raises(ValueError, match=f"did you mean '{near}'"):
        doctor.plan(name)


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [(0, "issue", "0 issues"), (1, "issue", "1 issue"), (2, "issue", "2 issues"),
     (1, "process", "1 process"), (2, "process", "2 processes"), (3, "entry", "3 entries"),
     (2, "usable GPU", "2 usable GPUs")],
)  # fmt: skip
def test_a_count_has_its_plural(number, noun, text):
    assert plural.count_of(number, noun) == text


def test_no_source_writes_a_plural_in_brackets():
    written = re.compile(r"\w\((?:s|es)\)[ .:;,\"]")
    quotes_torch = (
        FOLDER / "nn" / "_state.py"
    )  # its error of load_state_dict, which people search for
    sources = [p for p in FOLDER.rglob("*.py") if p != quotes_torch]
    found = [p for p in sources if written.search(p.read_text(encoding="utf-8"))]
    assert found == []
