"""What the images of Colab and Kaggle do to a library, one test a trap."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gpukit._system import platforms
from gpukit.doctor.diagnosis import diagnose
from support.machines import (
    GCP,
    NODES,
    P100,
    T4,
    X86,
    Fake,
    driver,
    gpu,
    library,
    module,
    nvml,
    works,
)

KAGGLE_PATH = "/usr/local/nvidia/lib64:/usr/local/cuda/lib64:"
KAGGLE = {"KAGGLE_KERNEL_RUN_TYPE": "Interactive", "LD_LIBRARY_PATH": KAGGLE_PATH}
COLAB = {"COLAB_RELEASE_TAG": "release-colab_20991231-060047_RC00"}
KAGGLE_GPU = GCP | T4 | module("580.82.07") | library("580.82.07", "/usr/local/nvidia/lib64")
COLAB_GPU = GCP | T4 | module("580.82.07") | library("580.82.07", "/usr/lib64-nvidia")
COMPAT = library("570.124.06", "/usr/local/cuda/compat")


def run(script, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def diagnosis(root, **changes):
    base = {"nodes": NODES, "nvml": nvml(gpu()), "cuda": works()}
    return diagnose(Fake("", **{**base, **changes}).evidence(root))


def ids(found):
    return {check.id for check in found.problems}


def test_kaggles_empty_path_entry_is_named(tmp_path):
    found = diagnosis(tmp_path, env=KAGGLE, files=KAGGLE_GPU)
    assert "empty-path-entry" in ids(found)
    assert found.verdict == "usable"


def test_import_needs_no_cuda_library():
    script = (
        "import gpukit; maps = open('/proc/self/maps').read();"
        "print([n for n in ('libcudart', 'libcuda.', 'libnvrtc', 'libcublas') if n in maps])"
    )
    assert run(script, LD_LIBRARY_PATH=KAGGLE_PATH).stdout.strip() == "[]"


def test_of_two_drivers_the_opened_one_is_named(tmp_path):
    cuda = works()
    cuda.library = "/usr/lib64-nvidia/libcuda.so.1"
    found = diagnosis(tmp_path, env=COLAB, files=COLAB_GPU | COMPAT, cuda=cuda)
    (row,) = [check for check in found.problems if check.id == "two-drivers-on-disk"]
    assert "opened /usr/lib64-nvidia/libcuda.so.1" in row.evidence
    assert any("570.124.06" in line for line in row.evidence)


def test_the_compat_driver_alone_is_no_mismatch(tmp_path):
    assert "driver-library-mismatch" not in ids(
        diagnosis(tmp_path, env=COLAB, files=COLAB_GPU | COMPAT)
    )


def test_a_foreign_pynvml_is_left_alone():
    script = (
        "import sys, types; fake = types.ModuleType('pynvml'); sys.modules['pynvml'] = fake;"
        "import gpukit; taken = gpukit.monitor.snapshot(); print(sys.modules['pynvml'] is fake)"
    )
    assert run(script).stdout.strip() == "True"


def test_results_need_no_widgets():
    script = (
        "import sys, gpukit; r = gpukit.info(verify=False);"
        "r._repr_mimebundle_(include=None, exclude=None); print('ipywidgets' in sys.modules)"
    )
    assert run(script).stdout.strip() == "False"


def test_a_home_that_cannot_be_written(tmp_path):
    done = run("import gpukit; print(gpukit.doctor().verdict)", HOME="/nonexistent", TMPDIR="")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("files", "env", "name"), [(KAGGLE_GPU, KAGGLE, "kaggle"), (COLAB_GPU, COLAB, "colab")]
)
def test_they_are_not_taken_for_googles_cloud(tmp_path, files, env, name):
    machine = Fake("", files=files, env=env).build(tmp_path)
    assert platforms.detect(machine).name == name
    assert platforms.detect(machine).cloud == "gcp"


def test_kaggles_p100_runs_gpukit_and_not_torch(tmp_path):
    found = diagnosis(
        tmp_path,
        env=KAGGLE,
        files=GCP | P100 | module("580.82.07"),
        packages={"torch": "2.10.0+cu128"},
        cuda=works(("Tesla P100-PCIE-16GB", "6.0")),
    )
    assert "kaggle-p100-no-kernel" in ids(found)
    assert found.supports("cuda")


def test_colabs_driver_folder_is_not_in_the_loaders_list(tmp_path):
    assert "colab-libs-not-in-ldcache" in ids(diagnosis(tmp_path, env=COLAB, files=COLAB_GPU))


def test_a_driver_of_ones_own_is_no_colab_row(tmp_path):
    found = diagnosis(tmp_path, files=T4 | driver("580.82.07", X86))
    assert not any("colab" in name or "kaggle" in name for name in ids(found))
