"""One machine for each row of the doctor's catalogue that evidence can show."""

from __future__ import annotations

from gpukit.doctor.evidence import Cuda, Own
from support.machines import (
    A10,
    AWS,
    AZURE,
    BUILT,
    DOCKER,
    GCP,
    NO_DRIVER,
    NODES,
    OK,
    P100,
    RTX4090,
    RTX5090,
    SECURE_BOOT,
    T4,
    V100,
    WSL_KERNEL,
    X86,
    Fake,
    driver,
    fails,
    gpu,
    kernel_fails,
    library,
    module,
    nvml,
    one_of_two_fails,
    pci,
    ubuntu,
    works,
)  # fmt: skip

READY, USABLE = "ready", "usable"
COLAB = {"COLAB_RELEASE_TAG": "release-colab_20991231-060047_RC00"}
KAGGLE = {"KAGGLE_KERNEL_RUN_TYPE": "Interactive"}
GIB = 1 << 30
GOOD = {"files": T4 | driver(), "nodes": NODES, "nvml": nvml(gpu()), "cuda": works()}
MEMINFO = "MemTotal: {} kB\nMemAvailable: {} kB\nSwapTotal: {} kB\n"
AMD = pci("744c", "amdgpu", vendor="1002")
ARC = pci("56a0", "i915", vendor="8086")
KFD = "/sys/class/kfd/kfd/topology/nodes"


def good(code: str, verdict: str = USABLE, **changes) -> Fake:
    """A machine on which a kernel ran, with something else about it."""
    return Fake(code, verdict, **{**GOOD, **changes})


def with_files(code: str, files: dict, verdict: str = USABLE, **changes) -> Fake:
    return good(code, verdict, files=GOOD["files"] | files, **changes)


def card(code: str, files: dict, **changes) -> Fake:
    """Bare metal under Ubuntu, with a card that does not work."""
    return Fake(code, files=ubuntu() | files, **{"cuda": NO_DRIVER, **changes})


HOSTED = [
    Fake("colab-tpu-runtime", env=COLAB | {"TPU_NAME": "local"}, cuda=NO_DRIVER),
    Fake("colab-cpu-runtime", env=COLAB, packages={"torch": "2.11.0+cpu"}, cuda=NO_DRIVER),
    Fake("colab-gpu-quota", env=COLAB, cuda=NO_DRIVER),
    good("colab-libs-not-in-ldcache", env=COLAB, files=T4 | driver(folder="/usr/lib64-nvidia")),
    good("colab-runtime-pinned-old", READY, env={"COLAB_RELEASE_TAG": "release-colab_20250731-06"}),
    Fake("kaggle-accelerator-off", env=KAGGLE, cuda=NO_DRIVER),
    good("kaggle-p100-no-kernel", env=KAGGLE, packages={"torch": "2.10.0+cu128"},
         files=P100 | driver(), cuda=works(("Tesla P100-PCIE-16GB", "6.0"))),
    good("kaggle-t4x2-one-used", READY, env=KAGGLE,
         nvml=nvml(gpu(memory_used=2 * GIB), gpu(index=1, memory_used=0)),
         cuda=works(*[("Tesla T4", "7.5")] * 2)),
    good("notebook-kernel-other-env",
         own=Own(python_prefix_differs="pip is in /opt/conda, the kernel in /usr")),
    good("restart-needed-after-install", own=Own(stale_modules={"torch": ("2.10", "2.11")})),
]  # fmt: skip

PLACES = [
    Fake("mac-no-cuda", USABLE, system="Darwin", arch="arm64",
         sysctl={"machdep.cpu.brand_string": "Apple M2"}, cuda=NO_DRIVER),
    Fake("windows-use-wsl2", system="Windows", cuda=NO_DRIVER),
    Fake("slurm-no-gpu-requested", env={"SLURM_JOB_ID": "7", "CUDA_VISIBLE_DEVICES": "NoDevFiles"},
         files=T4 | driver(), cuda=fails(100)),
    Fake("login-node", USABLE, files={"/usr/bin/sinfo": ""}, cuda=NO_DRIVER),
    Fake("cloud-instance-has-no-gpu", USABLE, files=AWS, cuda=NO_DRIVER),
    Fake("no-nvidia-hardware", USABLE, files=ubuntu(), cuda=NO_DRIVER),
    Fake("wsl1", kernel="4.4.0-19041-Microsoft", cuda=NO_DRIVER),
    Fake("container-without-gpu", files=DOCKER | T4 | module("580.82.07"), cuda=NO_DRIVER),
    Fake("capabilities-missing", env={"NVIDIA_DRIVER_CAPABILITIES": "utility"}, nodes=NODES,
         files=DOCKER | T4 | module("580.82.07"), nvml=nvml(gpu()), cuda=NO_DRIVER),
    Fake("container-lost-gpu", nodes={**NODES, "/dev/nvidiactl": "refused"},
         files=DOCKER | T4 | driver(), nvml=nvml(status=999), cuda=fails(999)),
    Fake("wsl-no-windows-driver", USABLE, kernel=WSL_KERNEL, cuda=NO_DRIVER),
    Fake("wsl-linux-driver-inside", kernel=WSL_KERNEL, nodes={"/dev/dxg": OK}, cuda=fails(999),
         files=library("1.1", "/usr/lib/wsl/lib") | library("550.54.14")),
    Fake("wsl-lib-path", READY, kernel=WSL_KERNEL, nodes={"/dev/dxg": OK}, cuda=works(),
         files={"/usr/lib/wsl/lib/libcuda.so.1": ""}),
    Fake("wsl-util-na", READY, kernel=WSL_KERNEL, nodes={"/dev/dxg": OK}, cuda=works(),
         files={"/usr/lib/wsl/lib/libcuda.so.1": ""}, env={"LD_LIBRARY_PATH": "/usr/lib/wsl/lib"}),
    Fake("wsl-docker-blocked", kernel=WSL_KERNEL, nodes={"/dev/dxg": OK}, nvml=nvml(status=17),
         files=DOCKER | {"/usr/lib/wsl/lib/libcuda.so.1": ""}, cuda=fails(304)),
]  # fmt: skip

DRIVERS = [
    card("gpu-fell-off-bus",
         T4 | driver() | {"/sys/bus/pci/devices/0000:01:00.0/config": "\xff" * 4},
         nvml=nvml(status=15), cuda=fails(999)),
    card("vfio-bound", pci("1eb8", "vfio-pci")),
    card("nouveau-bound", pci("2684", "nouveau")),
    card("gpu-dropped-by-driver", P100 | driver("595.45.04"), nvml=nvml(), cuda=fails(100)),
    card("gcp-driver-prompt", T4 | GCP | {"/opt/deeplearning": "<folder>"}),
    card("gcp-azure-secure-boot", T4 | AZURE | SECURE_BOOT | BUILT | library("580.82.07")),
    card("secure-boot-key-rejected", T4 | SECURE_BOOT | BUILT | library("580.82.07")),
    card("module-not-built-for-kernel", T4 | library("580.82.07")),
    card("module-not-loaded", T4 | BUILT | library("580.82.07")),
    card("driver-not-installed", T4),
    card("open-module-needs-turing",
         P100 | module("575.51.03", flavour="Open ") | library("575.51.03"),
         nodes=NODES, nvml=nvml(), cuda=fails(100)),
    card("blackwell-needs-open-module", RTX5090 | driver(), nvml=nvml(), cuda=fails(100)),
    card("gsp-or-bar-failure",
         T4 | driver() | {"/var/log/dmesg": "NVRM: RmInitAdapter failed! (0x22:0x56)"},
         nodes=NODES, nvml=nvml(), cuda=fails(100)),
    card("driver-library-mismatch", T4 | module("570.124.06") | library("580.82.07"), nodes=NODES,
         nvml=nvml(status=18), cuda=fails(803)),
    good("reboot-pending", READY, files=T4 | module("570.124.06") | library("580.82.07")),
    card("azure-grid-needed", A10 | AZURE | driver(), nodes=NODES, nvml=nvml(), cuda=fails(100)),
]  # fmt: skip

DEVICES = [
    card("device-permission", T4 | driver(), nodes={**NODES, "/dev/nvidiactl": "denied"},
         cuda=fails(100)),
    card("uvm-node-missing", T4 | driver(), nodes={"/dev/nvidiactl": OK, "/dev/nvidia0": OK},
         nvml=nvml(gpu()), cuda=fails(999)),
    card("kaslr-hmm-init-failure", T4 | driver() | {
        "/var/log/kern.log": "nvidia_uvm: uvm_pmm_gpu.c request_free_mem_region() err -34"},
        nodes=NODES, nvml=nvml(gpu()), cuda=fails(999)),
    card("fabric-manager-missing", pci("2330", "nvidia", kind="0x030200") | driver()
         | pci("22a3", slot=2, kind="0x068000"), nodes=NODES, nvml=nvml(gpu("H100")),
         cuda=fails(802)),
    card("uvm-stale-after-suspend", T4 | driver() | {"/sys/power/suspend_stats/success": "3"},
         nodes=NODES, nvml=nvml(gpu()), cuda=fails(999)),
    card("mps-daemon-trouble", T4 | driver(), nodes=NODES, nvml=nvml(gpu()), cuda=fails(806)),
    card("compute-mode-exclusive", T4 | driver(), nodes=NODES, cuda=fails(46),
         nvml=nvml(gpu(compute_mode="exclusive_process"))),
    card("ecc-or-row-remap", T4 | driver(), nodes=NODES, nvml=nvml(gpu()),
         cuda=kernel_fails("device_lost", 214)),
    card("unknown-start-error", T4 | driver(), nodes=NODES, nvml=nvml(gpu()), cuda=fails(304)),
    card("no-device-shown", T4 | driver(), nodes=NODES, nvml=nvml(gpu()), cuda=fails(100)),
    card("probe-died", T4 | driver(), nodes=NODES, cuda=None,
         ended="the probing process did not respond for 30 s while starting the CUDA driver"),
    good("gpu-silent-in-nvml", cuda=works(*[("Tesla T4", "7.5")] * 2),
         nvml=nvml(gpu(), gpu("", 1, silent="NVML failed with an unknown error"))),
    good("fewer-gpus-in-cuda", nvml=nvml(gpu(), gpu(index=1))),
    good("clock-stuck-or-throttled", nvml=nvml(gpu(throttled="hardware slowdown"))),
]  # fmt: skip

VISIBILITY = [
    card("stub-libcuda-loaded", T4 | module("580.82.07") | {
        "/usr/local/cuda/lib64/stubs/libcuda.so": ""}, nodes=NODES,
        env={"LD_LIBRARY_PATH": "/usr/local/cuda/lib64/stubs"}, cuda=fails(34)),
    with_files("stubs-in-library-path", {"/usr/local/cuda/lib64/stubs/libcuda.so": ""},
               env={"LD_LIBRARY_PATH": "/usr/local/cuda/lib64/stubs"}),
    card("compat-on-geforce", RTX4090 | driver(), nodes=NODES, nvml=nvml(gpu()),
         cuda=fails(804, path="/usr/local/cuda/compat/libcuda.so.1")),
    card("compat-shadows-driver", T4 | driver(), nodes=NODES, nvml=nvml(gpu()),
         cuda=fails(999, path="/usr/local/cuda/compat/libcuda.so.1")),
    with_files("two-drivers-on-disk", library("570.124.06", "/usr/local/cuda/compat"), READY),
    card("driver-too-old", T4 | driver("470.82.01"), nodes=NODES,
         cuda=Cuda("/usr/lib/libcuda.so.1", 11040, "driver 470.82.01 supports up to CUDA 11.4")),
    card("library-missing", T4 | module("580.82.07"), nodes=NODES),
    card("cvd-hides-all", T4 | driver(), env={"CUDA_VISIBLE_DEVICES": "1"}, nodes=NODES,
         nvml=nvml(gpu()), cuda=fails(100)),
    good("cvd-misspelt", env={"CUDA_VISABLE_DEVICES": "0"}),
    good("cvd-set-too-late", own=Own("/usr/lib/libcuda.so.1", "1", None)),
    good("device-order-differs", nvml=nvml(gpu("Quadro K620"), gpu("RTX A6000", 1))),
    card("mig-no-instance", pci("20b0", "nvidia") | driver(), nodes=NODES, cuda=fails(100),
         nvml=nvml(gpu("A100", mig=True, mig_devices=0))),
    good("mig-one-per-process", READY, nvml=nvml(gpu("A100", mig=True, mig_devices=2))),
    good("mig-uuid-parsing", READY, env={"CUDA_VISIBLE_DEVICES": "MIG-5c4d"}),
    good("empty-path-entry", env=KAGGLE | {"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64:"}),
    good("path-entry-missing", READY, env={"PATH": "/usr/bin:/usr/local/cuda-11.2/bin"}),
]  # fmt: skip

KERNELS = [
    card("card-too-old-for-gpukit", pci("102d", "nvidia") | driver("525.60.13"), nodes=NODES,
         cuda=kernel_fails("no_kernels", None, "Tesla K80", "3.7")),
    card("no-kernel-for-card", V100 | driver(), nodes=NODES,
         cuda=kernel_fails("no_kernels", None, "V100", "7.0")),
    card("context-poisoned", T4 | driver(), nodes=NODES,
         cuda=kernel_fails("device_lost", 700)),
    card("gpu-memory-refused", T4 | driver(), nodes=NODES,
         cuda=kernel_fails("out_of_memory", 2)),
    card("kernel-failed", T4 | driver(), nodes=NODES,
         cuda=kernel_fails("wrong_result")),
    good("some-gpus-fail", cuda=one_of_two_fails("wrong_result")),
    good("p2p-hang", cuda=works(("RTX 4090", "8.9"), ("RTX 4090", "8.9"),
                                peers=["cuda:0 -> cuda:1: the copy differs"])),
    Fake("simulated-devices", READY, cuda=works(("Tesla T4 (simulated)", "7.5"), simulated=True)),
]  # fmt: skip

FRAMEWORKS = [
    good("aarch64-wheel", arch="aarch64", packages={"torch": "2.11.0+cpu"}),
    good("torch-cpu-wheel", packages={"torch": "2.11.0+cpu"}),
    good("arch-not-in-wheel-old", files=V100 | driver(), packages={"torch": "2.11.0+cu128"},
         cuda=works(("Tesla V100-SXM2-16GB", "7.0"))),
    good("arch-not-in-wheel-new", files=RTX5090 | driver(), packages={"torch": "2.6.0+cu124"},
         cuda=works(("NVIDIA GeForce RTX 5090", "12.0"))),
    good("torch-needs-newer-driver", packages={"torch": "2.11.0+cu130"},
         files=T4 | driver("550.54.14"), cuda=works(version=12040)),
    with_files("nvcc-vs-driver-confusion",
               {"/usr/local/cuda/version.json": '{"cuda": {"version": "12.8.1"}}'}, READY),
    with_files("colab-ptx-newer-than-driver", {"/usr/local/cuda/version.txt": "CUDA Version 12.5"},
               cuda=works(version=12040)),
    with_files("cudnn-shadowed", {"/opt/cudnn/libcudnn.so.8": ""},
               packages={"nvidia-cudnn-cu12": "9.1"}, env={"LD_LIBRARY_PATH": "/opt/cudnn"}),
    good("tensorflow-gpu-package", packages={"tensorflow-gpu": "2.12.0"}),
    good("tf-libs-missing", packages={"tensorflow": "2.20.0"}),
    good("jax-cpu-only", packages={"jax": "0.7.2"}),
    good("cupy-duplicate", packages={"cupy-cuda12x": "14.0.1", "cupy-cuda13x": "14.0.1",
                                     "nvidia-cuda-nvrtc-cu12": "12.8"}),
    good("cupy-missing-libs", packages={"cupy-cuda12x": "14.0.1"}),
    good("nvidia-wheel-mix", READY, packages={"nvidia-nccl-cu12": "2", "nvidia-nccl-cu13": "2"}),
    good("numba-nvvm-missing", packages={"numba-cuda": "0.22.2"}),
]  # fmt: skip

MEMORY = [
    good("oom-other-process", nvml=nvml(gpu(memory_total=16 * GIB, memory_free=GIB,
                                            memory_of_processes=15 * GIB))),
    good("ghost-memory", nvml=nvml(gpu(memory_total=16 * GIB, memory_free=8 * GIB,
                                       memory_of_processes=GIB))),
    good("oom-exception-holds-frames", READY, own=Own(kept_traceback=True)),
    with_files("no-swap", {"/proc/meminfo": MEMINFO.format(8 << 20, 4 << 20, 0)}, READY),
    with_files("memory-limit-near", {"/sys/fs/cgroup/memory.max": str(4 * GIB),
                                     "/sys/fs/cgroup/memory.current": str(4 * GIB - 1000)}),
    good("unified-memory-gpu", READY, cuda=works(("NVIDIA GB10", "12.1"))),
    Fake("jetson-no-nvml", READY, files={"/etc/nv_tegra_release": "R36"},
         cuda=works(("Orin", "8.7"))),
]  # fmt: skip

OTHERS = [
    Fake("rocm-passthrough-vf", files=AZURE | pci("686c", vendor="1002"), cuda=NO_DRIVER),
    Fake("rocm-container-devices", files=DOCKER | AMD, cuda=NO_DRIVER),
    Fake("rocm-no-kfd", files=AMD, cuda=NO_DRIVER),
    Fake("rocm-kfd-permission", files=AMD, nodes={"/dev/kfd": "denied"}, cuda=NO_DRIVER),
    Fake("rocm-torch-is-cuda-build", USABLE, files=AMD, nodes={"/dev/kfd": OK}, cuda=NO_DRIVER,
         packages={"torch": "2.11.0+cu128"}),
    Fake("rocm-gfx-unsupported", nodes={"/dev/kfd": OK}, cuda=NO_DRIVER, files=AMD | {
        f"{KFD}/1/properties": "simd_count 32\ngfx_target_version 100302\n"}),
    Fake("rocm-override-harmful", USABLE, nodes={"/dev/kfd": OK}, cuda=NO_DRIVER, files=AMD | {
        f"{KFD}/1/properties": "simd_count 192\ngfx_target_version 110000\n"},
        env={"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}),
    Fake("rocm-igpu-first", USABLE, nodes={"/dev/kfd": OK}, cuda=NO_DRIVER, files=AMD | {
        f"{KFD}/1/properties": "simd_count 4\ngfx_target_version 110000\n",
        f"{KFD}/2/properties": "simd_count 192\ngfx_target_version 110000\n"}),
    Fake("intel-no-render-node", files=pci("56a0", vendor="8086"), cuda=NO_DRIVER),
    Fake("intel-render-permission", files=ARC | {"/dev/dri/renderD128": ""},
         nodes={"/dev/dri/renderD128": "denied"}, cuda=NO_DRIVER),
    Fake("intel-no-level-zero", files=ARC, nodes={"/dev/dri/renderD128": OK}, cuda=NO_DRIVER),
    Fake("intel-torch-not-xpu", files=ARC | {f"{X86}/libze_loader.so.1": ""},
         nodes={"/dev/dri/renderD128": OK}, packages={"torch": "2.11.0"}, cuda=NO_DRIVER),
    Fake("mac-rosetta-python", USABLE, system="Darwin",
         sysctl={"sysctl.proc_translated": "1"}, cuda=NO_DRIVER),
    Fake("mac-intel", USABLE, system="Darwin", cuda=NO_DRIVER),
    Fake("mps-ci-zero", USABLE, system="Darwin", arch="arm64", env={"GITHUB_ACTIONS": "true"},
         cuda=NO_DRIVER),
]  # fmt: skip

MACHINES = [
    *HOSTED, *PLACES, *DRIVERS, *DEVICES, *VISIBILITY, *KERNELS, *FRAMEWORKS, *MEMORY, *OTHERS,
]  # fmt: skip
# Machines with nothing to mend, as they are met; the code is what else the doctor says, or "".
WSL = {
    "/usr/lib/wsl/lib/libcuda.so.1.1": "",
    "/usr/lib/wsl/lib/libcuda.so.1": "-> libcuda.so.1.1",
    "/etc/ld.so.conf.d/ld.wsl.conf": "/usr/lib/wsl/lib",
}
IMAGE = {"LD_LIBRARY_PATH": "/usr/local/nvidia/lib:/usr/local/nvidia/lib64"}
HEALTHY = {
    "server": Fake("", READY, **GOOD),
    "desktop": Fake("", READY, **{**GOOD, "files": RTX4090 | driver()}),
    "optimus laptop": good("", READY, files=pci("25a2", "nvidia", kind="0x030200", slot=1)
                           | pci("46a6", "i915", vendor="8086", slot=2) | driver()),
    "docker": with_files("", DOCKER, READY, env=IMAGE),
    "image with compat": with_files(
        "two-drivers-on-disk", DOCKER | library("570.124.06", "/usr/local/cuda/compat"), READY),
    "wsl2": Fake("wsl-util-na", READY, kernel=WSL_KERNEL, nodes={"/dev/dxg": OK}, files=WSL,
                 cuda=works()),
    "colab": good("", READY, env=COLAB | {"LD_LIBRARY_PATH": "/usr/lib64-nvidia"},
                  files=GCP | T4 | driver(folder="/usr/lib64-nvidia")),
    "kaggle": good("empty-path-entry", env=KAGGLE | {"LD_LIBRARY_PATH": "/usr/local/nvidia/lib64:"},
                   files=GCP | T4 | driver(folder="/usr/local/nvidia/lib64")),
    "slurm with a gpu": good("", READY, env={"SLURM_JOB_ID": "7", "CUDA_VISIBLE_DEVICES": "0",
                                             "SLURM_JOB_GPUS": "3"}),
    "wsl2 without nvidia": Fake("wsl-no-windows-driver", USABLE, kernel=WSL_KERNEL, cuda=NO_DRIVER),
    "intel laptop": Fake("no-nvidia-hardware", USABLE, cuda=NO_DRIVER,
                         files=pci("46a6", "i915", vendor="8086")),
    "ryzen with torch for the cpu": Fake("no-nvidia-hardware", USABLE, files=AMD, cuda=NO_DRIVER,
                                         nodes={"/dev/kfd": OK}, packages={"torch": "2.11.0+cpu"}),
    "old radeon": Fake("no-nvidia-hardware", USABLE, cuda=NO_DRIVER,
                       files=pci("6779", "radeon", vendor="1002")),
    "mac": Fake("mac-no-cuda", USABLE, system="Darwin", arch="arm64", cuda=NO_DRIVER),
}  # fmt: skip
