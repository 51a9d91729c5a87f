"""The doctor's parts: stages of the child, pasted tables, wheels, plans, the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

import gpukit
from gpukit.doctor import compat, explain, judge_paste, plan
from gpukit.doctor.diagnosis import diagnose
from gpukit.doctor.gather import read_stages
from support import smi_texts


def cli(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "gpukit", "doctor", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        **options,
    )


# ---- the child


@pytest.fixture(scope="module")
def here():
    return gpukit.doctor()


def test_this_machine_gets_a_verdict(here):
    assert here.verdict in {"ready", "usable", "not_ready"}
    assert len(here.checks) == len(gpukit.doctor.checks())
    assert here.exit_code in {0, 1}


def test_a_simulation_of_this_process_reaches_the_child(here):
    assert here.simulated == gpukit.try_gpu(quiet=True).simulated


def test_the_doctor_starts_no_driver_in_this_process():
    script = "import gpukit; gpukit.doctor(); print(gpukit.cuda.is_initialized())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100
    )
    assert done.stdout.strip() == "False"


def test_a_child_that_crashed_leaves_its_earlier_stages():
    from dataclasses import asdict

    from gpukit.doctor.evidence import Evidence

    files = json.dumps({"stage": "files", "data": asdict(Evidence(kernel="5.15"))})
    start = json.dumps({"stage": "start", "data": "the CUDA driver"})
    evidence = read_stages([files, "words of a library", start, '{"stage": "cu'], "was ended")
    assert evidence.kernel == "5.15"
    assert evidence.ended == "the probing process was ended while starting the CUDA driver"
    assert diagnose(evidence).problems[0].id == "probe-died"


@pytest.mark.parametrize(
    ("death", "words"),
    [
        ("time.sleep(60)", "did not respond for 5 s while starting a kernel on cuda:0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV while starting a kernel"),
        ("os._exit(3)", "ended with status 3 while starting a kernel"),
    ],
)
def test_a_driver_that_hangs_or_crashes_takes_only_the_child(monkeypatch, death, words):
    from gpukit.doctor import gather

    script = (
        "import json, os, signal, time; from dataclasses import asdict;"
        "from gpukit.doctor.evidence import Evidence;"
        "say = lambda stage, data: print(json.dumps({'stage': stage, 'data': data}), flush=True);"
        "say('files', asdict(Evidence()));"
        f"say('start', 'a kernel on cuda:0'); {death}"
    )
    seconds = 5 if "sleep" in death else 60
    monkeypatch.setattr(gather, "_SECONDS", seconds)
    monkeypatch.setattr(gather, "_child_command", lambda deep: [sys.executable, "-c", script])
    found = gpukit.doctor()
    assert found.verdict == "not_ready"
    assert found.problems[0].id == "probe-died"
    assert words in found.problems[0].evidence[0]


@pytest.mark.parametrize("line", ["", "null", "[]", "3", '{"no": 1}'])
def test_lines_that_are_no_stage_are_left_out(line):
    assert read_stages([line, '{"stage": "end", "data": null}'], "").ended == ""


@pytest.mark.parametrize(
    ("options", "error"), [({"deep": 1}, TypeError), ({"deep": "yes"}, TypeError)]
)
def test_bad_options(options, error):
    with pytest.raises(error, match="doctor: "):
        gpukit.doctor(**options)


# ---- pasted tables


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        (smi_texts.MX150_BEFORE, "not_ready", "528.33"),
        (smi_texts.V100_FOUR, "not_ready", "525.60.13"),
        (smi_texts.RTX_3050, "usable", "WSL2"),
        (smi_texts.T4_TODAY, "ready", "Tesla T4"),
        (smi_texts.A100_MIG, "ready", "A100"),
    ],
)
def test_pasted_tables_are_judged_by_their_system(text, verdict, words):
    diagnosis = judge_paste(text)
    assert diagnosis.verdict == verdict
    assert words in diagnosis.headline
    assert diagnosis.exit_code == (verdict == "not_ready")


@pytest.mark.parametrize("name", ["mx150-before", "v100-four"])
def test_old_cards_are_sent_to_branch_580(name):
    problem = judge_paste(smi_texts.TUTORIALS[name]).problems[0]
    assert problem.id == "driver-too-old"
    assert "branch 580" in problem.remedy


def test_windows_names_its_caveats():
    found = {check.id for check in judge_paste(smi_texts.RTX_3050).problems}
    assert {"windows-use-wsl2", "wddm-caveats", "small-memory"} <= found


@pytest.mark.parametrize("name", smi_texts.TUTORIALS)
@pytest.mark.parametrize("colour", [False, True])
def test_a_verdict_after_any_line_that_has_the_driver(name, colour):
    lines = smi_texts.TUTORIALS[name].splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if "Driver Version" in line)
    for count in range(first + 1, len(lines) + 1):
        text = "".join(lines[:count])
        diagnosis = judge_paste(smi_texts.coloured(text) if colour else text)
        assert diagnosis.verdict != "ready"
        assert diagnosis.to_text()
        assert colour or explain(text)


def test_explain_annotates_a_table():
    text = explain(smi_texts.MX150_BEFORE)
    for words in ("GeForce MX150", "1 GPU", "457.49", "11.1", "2048 MiB", "not one that is"):
        assert words in text
    assert "505 of 2048" in text


def test_explain_names_the_cards_that_are_free():
    assert "Nobody uses GPU 1, 3." in explain(smi_texts.V100_FOUR)


def test_explain_says_when_it_does_not_know():
    assert "No row of the catalogue" in explain("everything is on fire")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cudaGetDeviceCount returned 35", "driver-too-old"),
        ("CUDA error 804: no", "compat-on-geforce"),
        ("cuInit(0) failed: CUDA_ERROR_SYSTEM_NOT_READY (802)", "fabric-manager-missing"),
        ("failed call to cuInit: UNKNOWN ERROR (303)", "no-driver-found"),
        ("nvmlInit failed with error 18", "driver-library-mismatch"),
        ("NVML_ERROR_GPU_IS_LOST", "gpu-fell-off-bus"),
        ("hipErrorNoBinaryForGpu (209)", "rocm-gfx-unsupported"),
        ("no CUDA driver: libcuda.so.1 is in none of the 9 places searched", "no-driver-found"),
        ("driver 470.82 supports up to CUDA 11.4; gpukit needs driver 525", "driver-too-old"),
    ],
)
def test_explain_knows_numbers_and_names(text, code):
    assert explain(text).removeprefix("likely ").startswith(code)


def test_every_code_has_its_row():
    from gpukit.doctor import codes
    from gpukit.doctor.errors.phrases import causes

    known = set(causes())
    for table in (codes.CUDA, codes.NVML, codes.HIP):
        assert {row for _, row in table.values()} <= known


@pytest.mark.parametrize(("text", "error"), [("  ", ValueError), (None, TypeError)])
def test_explain_wants_text(text, error):
    with pytest.raises(error, match="explain: text"):
        explain(text)


def test_errors_that_the_doctor_can_explain_say_so():
    script = "import gpukit; gpukit.ones(2, device='cuda:0')"
    environment = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "GPUKIT_LIBCUDA": "none"},
    )
    assert done.stderr.count("gpukit.doctor() finds the cause") == 1


def test_errors_that_it_cannot_explain_do_not():
    with pytest.raises(gpukit.ShapeError) as caught:
        gpukit.ones(2, 3) @ gpukit.ones(2, 3)
    assert "doctor" not in str(caught.value)


def test_texts_are_explained_without_opening_a_device(monkeypatch):
    from gpukit._system.machine import Machine

    opened = []
    really_open = os.open

    def watched(path, *arguments, **options):
        opened.append(str(path))
        return really_open(path, *arguments, **options)

    monkeypatch.setattr(os, "open", watched)
    Machine().node("/dev/kfd")
    assert opened == ["/dev/kfd"]  # this is what would be seen
    explain("nouveau")
    plan()
    compat(driver="580.82.07")
    assert opened == ["/dev/kfd"]


# ---- wheels


@pytest.mark.parametrize(
    ("driver", "gpu", "torch", "cupy"),
    [
        ("580.82.07", "T4", "cu130", "cupy-cuda13x"),
        ("535.104.05", "Tesla T4", "cu128", "cupy-cuda12x"),
        ("580.82.07", "Tesla P100-PCIE-16GB", "cu126", "cupy-cuda12x"),
        ("550.54.14", (7, 0), "cu126", "cupy-cuda12x"),
        ("470.82.01", "8.6", "cu118", "cupy-cuda11x"),
        ("580.82.07", "NVIDIA GeForce RTX 5090", "cu130", "cupy-cuda13x"),
    ],
)
def test_wheels_fit_driver_and_card(driver, gpu, torch, cupy):
    fits = compat(driver=driver, gpu=gpu)
    assert fits.wheel("torch").command.endswith(torch)
    assert cupy in fits.wheel("cupy").command
    assert fits.as_of


def test_a_card_that_the_driver_ignores_gets_nothing():
    fits = compat(driver="595.45.04", gpu="V100")
    assert {wheel.command for wheel in fits.wheels} == {None}
    assert any("580" in note for note in fits.notes)


def test_what_is_newer_than_the_table_is_called_that():
    assert any("newer than this table" in n for n in compat(driver="700.1", gpu="T4").notes)
    assert any("not in the table" in n for n in compat(driver="580.82.07", gpu="RTX 9090").notes)


@pytest.mark.parametrize(
    ("driver", "gpu", "error"),
    [("new", "T4", ValueError), (580, "T4", TypeError), ("580.1", 3, TypeError)],
)
def test_bad_arguments_of_compat(driver, gpu, error):
    with pytest.raises(error, match="compat: "):
        compat(driver=driver, gpu=gpu)


# ---- plans

LINES = {
    "bash": 'export PATH="/usr/local/cuda/bin${PATH:+:$PATH}"',
    "zsh": 'export PATH="/usr/local/cuda/bin${PATH:+:$PATH}"',
    "fish": "set -gx --path PATH /usr/local/cuda/bin $PATH",
    "powershell": '$env:PATH = "/usr/local/cuda/bin" + $(if ($env:PATH) { ";" + $env:PATH })',
}
DRIVERS = {
    "ubuntu": "sudo ubuntu-drivers install",
    "debian": "linux-headers-$(dpkg --print-architecture) nvidia-driver",
    "rhel": "sudo dnf module install -y nvidia-driver:latest-dkms",
    "wsl": "wsl --update",
}


@pytest.mark.parametrize("system", DRIVERS)
@pytest.mark.parametrize("shell", LINES)
def test_plans(system, shell):
    text = plan(system, shell)
    assert DRIVERS[system] in text
    assert LINES[shell] in text
    assert text.rstrip().splitlines()
    assert "gpukit doctor" in text
    assert "cuda-toolkit" not in text


def test_every_command_of_a_driver_has_its_meaning():
    commands = [line for line in plan("debian").splitlines() if line.startswith("sudo")]
    assert commands
    assert all("  # " in line for line in commands)


@pytest.mark.parametrize(("os", "shell"), [("beos", None), (None, "csh")])
def test_unknown_systems_and_shells(os, shell):
    with pytest.raises(ValueError, match="known: "):
        plan(os, shell)


# ---- the command line


def test_json_is_one_document():
    done = cli("--json")
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    assert document["exit_code"] == done.returncode


def test_paste_reads_a_file_and_standard_input(tmp_path):
    path = tmp_path / "smi.txt"
    path.write_text(smi_texts.V100_FOUR)
    from_file = cli("--paste", str(path))
    from_stdin = cli("--paste", "-", input=smi_texts.V100_FOUR)
    assert from_file.returncode == from_stdin.returncode == 1
    assert from_file.stdout == from_stdin.stdout
    assert "525.60.13" in from_file.stdout


@pytest.mark.parametrize(
    ("pasted", "words"),
    [("hello", "not known"), ("Torch not compiled with CUDA enabled", "torch-cpu-wheel")],
)
def test_paste_of_something_else_is_explained(pasted, words):
    done = cli("--paste", "-", input=pasted)
    assert done.returncode == 1
    assert done.stdout.startswith(words)
    as_json = cli("--paste", "-", "--json", input=pasted)
    assert json.loads(as_json.stdout)["explanation"].startswith(words)


@pytest.mark.parametrize(("backend", "status"), [("cpu", 0), ("mps", 1)])
def test_require(backend, status):
    done = cli("--require", backend)
    assert done.returncode == status
    assert ("required" in done.stderr) == bool(status)


def test_plan_and_explain_print_and_run_nothing():
    assert "pip install" in cli("--plan").stdout
    assert "nouveau-bound" in cli("--explain", "nouveau 0000:01:00.0: DRM").stdout
    assert "gpukit doctor" in json.loads(cli("--plan", "--json").stdout)["plan"]


def test_nothing_private_is_reported():
    import getpass
    import socket
    from pathlib import Path

    text = gpukit.doctor().to_json()
    for secret in (getpass.getuser() + "@", str(Path.home()) + "/"):
        assert secret not in text
    assert not re.search(rf"\b{re.escape(socket.gethostname())}\b", text)
    assert not re.search(r"\x1b", text)
