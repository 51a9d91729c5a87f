"""The report of what is here, on made-up machines and on this one."""

from __future__ import annotations

import getpass
import importlib.metadata
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import gpukit
from gpukit._system import gpu_facts, platforms, vendors
from gpukit._system.found_libraries import found_libraries
from gpukit._system.info import gather_info
from support.machines import AWS, AZURE, DOCKER, GCP, KERNEL, WSL_KERNEL, Fake, driver, pci

AMD, INTEL = pci("744c", vendor="1002"), pci("56a0", vendor="8086")


def fake(root, **changes):
    return Fake("", **changes).build(root)


def test_controllers_are_counted_by_vendor(tmp_path):
    cards = pci("1eb8", slot=1) | pci("1eb8", slot=2, kind="0x030200")
    network = pci("1017", slot=3, kind="0x020000")
    machine = fake(tmp_path, files=cards | network | pci("744c", vendor="1002", slot=4))
    assert vendors.display_controllers(machine) == {"NVIDIA": 2, "AMD": 1}


@pytest.mark.parametrize(
    ("files", "name", "words"),
    [
        ({"/dev/kfd": ""}, "rocm", "/dev/kfd"),
        (AMD, "rocm", "1 AMD controller"),
        ({"/usr/lib64/libamdhip64.so.6": ""}, "rocm", "libamdhip64.so.6"),
        ({"/opt/intel/oneapi": "<folder>"}, "oneapi", "/opt/intel/oneapi"),
        (INTEL, "oneapi", "1 Intel controller"),
        ({"/usr/lib64/libze_loader.so.1": ""}, "oneapi", "libze_loader.so.1"),
    ],
)
def test_other_backends_are_named_with_evidence(tmp_path, files, name, words):
    lights = vendors.other_lights(fake(tmp_path, files=files))
    assert lights[name].hardware
    assert not lights[name].usable
    assert words in lights[name].evidence
    assert sum(light.hardware for light in lights.values()) == 1


@pytest.mark.parametrize(
    ("arch", "translated", "present", "words"),
    [
        ("arm64", "0", True, "Apple M2"),
        ("x86_64", "0", False, "not Apple silicon"),
        ("x86_64", "1", False, "Intel build"),
    ],
)
def test_a_mac_is_judged_by_its_chip(tmp_path, arch, translated, present, words):
    sysctl = {
        "machdep.cpu.brand_string": "Apple M2",
        "hw.memsize": str(16 << 30),
        "sysctl.proc_translated": translated,
    }
    machine = fake(tmp_path, system="Darwin", arch=arch, sysctl=sysctl)
    report = gather_info(machine, stack=False, verify=False)
    assert report.backends["mps"]["hardware"] == present
    assert words in report.backends["mps"]["evidence"]
    assert (report.cpu, report.ram, report.platform) == ("Apple M2", 16 << 30, "macos")


PLATFORMS = [
    ("colab", {"env": {"COLAB_RELEASE_TAG": "x"}, "files": GCP}),
    ("colab", {"files": {"/var/colab": "<folder>"}}),
    ("kaggle", {"env": {"KAGGLE_KERNEL_RUN_TYPE": "Batch"}, "files": GCP | DOCKER}),
    ("kaggle", {"files": {"/kaggle/working": "<folder>"}}),
    ("sagemaker-studiolab", {"files": {"/home/studio-lab-user": "<folder>"}}),
    ("sagemaker", {"files": {"/opt/ml/metadata/resource-metadata.json": "{}"}}),
    ("wsl2", {"kernel": WSL_KERNEL}),
    ("wsl1", {"kernel": "4.4.0-19041-Microsoft"}),
    ("container", {"files": DOCKER}),
    ("slurm", {"env": {"SLURM_JOB_ID": "7"}}),
    ("aws", {"files": AWS}),
    ("gcp", {"files": GCP}),
    ("azure", {"files": AZURE}),
    ("oracle", {"files": {"/sys/class/dmi/id/chassis_asset_tag": "OracleCloud.com"}}),
    ("runpod", {"env": {"RUNPOD_POD_ID": "x"}, "files": DOCKER}),
    ("vast", {"env": {"VAST_CONTAINERLABEL": "x"}}),
    ("huggingface-spaces", {"env": {"SPACE_ID": "x"}}),
    ("lightning", {"env": {"LIGHTNING_CLOUD_URL": "x"}}),
    ("jetson", {"files": {"/etc/nv_tegra_release": "R36"}}),
    ("macos", {"system": "Darwin"}),
    ("windows", {"system": "Windows"}),
    ("plain", {}),
]


@pytest.mark.parametrize(("name", "changes"), PLATFORMS, ids=[name for name, _ in PLATFORMS])
def test_platforms(tmp_path, name, changes):
    found = platforms.detect(fake(tmp_path, **changes))
    assert found.name == name
    assert found.label


@pytest.mark.parametrize(
    ("name", "capability", "form", "architecture"),
    [
        ("GeForce MX150", "6.1", "laptop", "Pascal"),
        ("NVIDIA GeForce RTX 3050 Laptop GPU", "8.6", "laptop", "Ampere"),
        ("Tesla V100-SXM2-16GB", "7.0", "data centre", "Volta"),
        ("Tesla P100-PCIE-16GB", "6.0", "data centre", "Pascal"),
        ("Tesla T4", "7.5", "data centre", "Turing"),
        ("NVIDIA L40S", "8.9", "data centre", "Ada"),
        ("NVIDIA L4", "8.9", "data centre", "Ada"),
        ("NVIDIA GeForce RTX 2050", "8.6", "laptop", "Ampere"),
        ("NVIDIA GeForce RTX 4090", "8.9", "desktop", "Ada"),
    ],
)
def test_the_table_of_names(name, capability, form, architecture):
    facts = gpu_facts.card_facts(name)
    assert (facts.capability, facts.form, facts.architecture) == (capability, form, architecture)


def test_part_of_a_name_is_no_match():
    assert gpu_facts.card_facts("Quadro K4000M L4x") is None


def test_libraries_have_version_and_place(tmp_path):
    files = driver("580.82.07") | {"/usr/local/cuda/lib64/libcudnn.so.9.8.0": ""}
    machine = fake(tmp_path, files=files, packages={"nvidia-nccl-cu12": "2.28.9"})
    found = found_libraries(machine)
    assert found["driver"]["version"] == "580.82.07"
    assert found["cuDNN"] == {
        "version": "9.8.0",
        "place": "/usr/local/cuda/lib64/libcudnn.so.9.8.0",
    }
    assert found["NCCL"] == {"version": "2.28.9", "place": "wheel nvidia-nccl-cu12"}
    assert found["NVRTC"] is None


def test_versions_come_from_metadata_and_nothing_is_imported():
    script = (
        "import sys, gpukit; gpukit.info(); gpukit.show_versions(); gpukit.env(); "
        "print([n for n in ('torch', 'tensorflow', 'jax', 'cupy', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_without_a_gpu_it_names_what_it_looked_for(tmp_path):
    report = gather_info(fake(tmp_path), stack=False, verify=False)
    report.devices = report.devices[-1:]
    report.backends["cuda"]["hardware"] = False
    assert "no GPU found; looked for CUDA, ROCm, MPS, oneAPI" in report.to_text()


def test_the_stack_goes_from_code_to_hardware():
    text = gpukit.info(stack=True, verify=False).to_text()
    places = [text.index(words) for words in ("your notebook", "_core", "backend cpu", "hardware:")]
    assert places == sorted(places)
    assert "no toolkit is needed" in text


def test_lights_of_this_process():
    report = gpukit.info()
    usable = any(d["verified"] for d in report.devices if d["type"] == "cuda")
    assert bool(report.lights["kernel ran"]) == usable
    assert set(report.backends) == {"cuda", "rocm", "mps", "oneapi"}
    assert ("cuda" in report.reasons) == (not usable)


def test_all_forms_say_the_same():
    report = gpukit.info(stack=True)
    bundle = report._repr_mimebundle_()
    for text in (report.to_text(), bundle["text/html"], bundle["text/markdown"]):
        for words in ("ROCm", "oneAPI", "cpu: ", f"gpukit {gpukit.__version__}"):
            assert words in text
    assert json.loads(report.to_json())["schema"] == 1


def test_nothing_private_is_reported():
    secrets = (getpass.getuser() + "@", socket.gethostname(), str(Path.home()) + "/")
    for text in (gpukit.info(stack=True).to_json(), gpukit.env()):
        assert not any(secret in text for secret in secrets)


@pytest.mark.parametrize(("option", "value"), [("stack", 1), ("verify", "yes")])
def test_bad_options(option, value):
    with pytest.raises(TypeError, match=option):
        gpukit.info(**{option: value})


def test_cuda_versions_read_as_people_write_them():
    from gpukit._system.info import cuda_text

    assert cuda_text(12080) == "12.8"
    assert cuda_text(13000) == "13.0"
    assert cuda_text(0) is None


ROWS = {
    "hardware",
    "market share",
    "maturity",
    "frameworks",
    "difficulty",
    "where it runs",
    "suited to",
    "in PyTorch",
}


def test_vendors_has_the_tutorials_rows_and_dates_its_opinions(tmp_path):
    table = gpukit.vendors()
    assert {row["row"] for row in table.rows} >= ROWS
    assert all(row["as_of"] for row in table.rows if row["kind"] != "measured")
    opinions = {row["row"] for row in table.rows if row["kind"] == "opinion"}
    assert {"market share", "maturity", "difficulty"} <= opinions
    (torch,) = [row for row in table.rows if row["row"] == "in PyTorch"]
    assert "no torch.hip" in torch["rocm"]


@pytest.mark.parametrize(
    ("files", "name"),
    [(pci("1eb8"), "cuda"), ({"/dev/kfd": ""}, "rocm"), (INTEL, "oneapi")],
)
def test_vendors_says_what_is_here(tmp_path, files, name):
    here = vendors.vendors(fake(tmp_path, files=files)).rows[-1]
    assert here["row"] == "on this machine"
    assert [key for key in vendors.BACKENDS if here[key] == "found"] == [name]


def test_kernel_release_of_a_made_up_machine(tmp_path):
    assert gather_info(fake(tmp_path), stack=False, verify=False).os == f"Linux {KERNEL}"


def test_the_report_takes_less_than_a_third_of_a_second():
    import time

    def seconds():
        started = time.thread_time()  # what others run at the same time does not count
        gpukit.info(verify=False)
        return time.thread_time() - started

    assert min(seconds() for _ in range(5)) < 0.3


# -- versions ------------------------------------------------------------------------------------


def test_the_names_of_torchs_version_are_there():
    version = gpukit.version
    assert version.__version__ == version.gpukit == gpukit.__version__
    assert (version.hip, version.rocm, version.xpu, version.debug) == (None, None, None, False)
    assert isinstance(version.git_version, str)
    assert {"cuda", "debug", "git_version", "hip", "rocm", "xpu"} <= set(dir(version))
    with pytest.raises(AttributeError, match=r"version has no .tpu."):
        _ = version.tpu


@pytest.mark.parametrize(
    ("written", "commit"),
    [
        ('{"vcs_info": {"vcs": "git", "commit_id": "ab12cd"}}', "ab12cd"),
        ('{"dir_info": {"editable": true}}', "Unknown"),
        (None, "Unknown"),
        ("{", "Unknown"),
    ],
)
def test_the_commit_is_the_one_that_pip_wrote_down(monkeypatch, written, commit):
    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return written

    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: Installed())
    gpukit.version._git_version.cache_clear()
    assert gpukit.version.git_version == commit
    monkeypatch.undo()
    gpukit.version._git_version.cache_clear()
