"""Outputs of nvidia-smi as people paste them, each with the right verdict and the row behind it.

The layouts follow tables and messages seen in public threads; names, addresses and numbers are new.
"""

# ruff: noqa: E501 (tables are as wide as nvidia-smi prints them)
from __future__ import annotations

import html
from typing import NamedTuple

READY, USABLE, NOT_READY = "ready", "usable", "not_ready"


class Paste(NamedTuple):
    """A text, its verdict, and a code that must be found ("" for none)."""

    text: str
    verdict: str
    code: str = ""


def gpu(index=0, name="Tesla T4", mode="Off", bus=None, ecc="0", fan="N/A", temp="36C", perf="P8",
        power="9W /   70W", memory="3MiB / 15360MiB", util="0%", compute="Default",
        mig="N/A", disp="Off") -> list[str]:  # fmt: skip
    """The three rows of a GPU in the wide layout."""
    bus = bus if bus is not None else f"00000000:{index + 1:02X}:00.0"
    return [
        f"|{index:4d}  {name:<30}{mode:>4} |{bus:>20} {disp:>3} |{ecc:>21} |",
        f"|{fan:>4}  {temp:>4}   {perf:>3}{power:>25} |{memory:>23} |{util:>8}{compute:>13} |",
        f"|{'':41}|{'':24}|{mig:>21} |",
    ]


def process(index, pid, name, memory="1000MiB", kind="C") -> str:
    return f"|{index:5d}   N/A  N/A {pid:15d} {kind:>6}   {name:<36}{memory:>10} |"


LINE = "+" + "-" * 41 + "+" + "-" * 24 + "+" + "-" * 22 + "+"
END = "+" + "-" * 89 + "+"
NONE = "|  No running processes found" + " " * 60 + "|"


def table(*gpus, driver="550.54.15", cuda="12.4", tool=None, processes=(NONE,), extra=()) -> str:
    rows = [row for each in gpus for row in [*each, LINE]]
    return "\n".join(
        [
            "Fri Mar 14 10:21:07 2025",
            END,
            f"| NVIDIA-SMI {tool or driver:<22} Driver Version: {driver:<14} CUDA Version: {cuda:<9}|",
            LINE,
            "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
            "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
            "|                                         |                        |               MIG M. |",
            "|" + "=" * 41 + "+" + "=" * 24 + "+" + "=" * 22 + "|",
            *rows,
            *extra,
            "",
            END,
            "| Processes:" + " " * 78 + "|",
            "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |",
            "|" + "=" * 89 + "|",
            *processes,
            END,
        ]
    )


def narrow(name, driver, cuda, memory="11MiB /  4040MiB", ecc="N/A", last=True) -> str:
    """The layout of drivers up to 525."""
    return "\n".join(
        [
            "+-----------------------------------------------------------------------------+",
            f"| NVIDIA-SMI {driver:<12} Driver Version: {driver:<12} CUDA Version: {cuda:<9}|",
            "|-------------------------------+----------------------+----------------------+",
            "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |",
            "|===============================+======================+======================|",
            f"|   0  {name:<18} Off  | 00000000:01:00.0 Off |{ecc:>21} |",
            f"| 34%   38C    P8    N/A /  N/A |{memory:>21} |      0%      Default |",
            *(
                ["|                               |                      |                  N/A |"]
                * last
            ),
            "+-------------------------------+----------------------+----------------------+",
            "| Processes:                                                                  |",
            "|  No running processes found                                                 |",
        ]
    )


A100 = {"name": "NVIDIA A100-SXM4-40GB", "mode": "On", "memory": "4MiB / 40960MiB", "perf": "P0",
        "power": "44W /  400W", "mig": "Disabled"}  # fmt: skip
RTX = {"name": "NVIDIA GeForce RTX 3090", "ecc": "N/A", "memory": "12MiB / 24576MiB",
       "power": "22W /  350W", "fan": "30%"}  # fmt: skip
LOST = {"name": "ERR!", "mode": "ERR!", "ecc": "ERR!", "fan": "ERR!", "temp": "ERR!", "perf": "ERR!",
        "power": "ERR! /  ERR!", "memory": "ERR! / ERR!", "util": "ERR!", "compute": "ERR!",
        "mig": "ERR!"}  # fmt: skip
INSTANCES = (
    "| MIG devices:" + " " * 76 + "|",
    "| GPU  GI  CI  MIG |                   Memory-Usage |        Vol|        Shared           |",
    "|  0    1   0   0  |              37MiB / 19968MiB  | 42      0 |  3   0    2    0    0 |",
    "|  0    2   0   1  |              37MiB / 19968MiB  | 42      0 |  3   0    2    0    0 |",
    LINE,
)
NO_INSTANCES = ("| MIG devices:" + " " * 76 + "|", "|  No MIG devices found" + " " * 67 + "|")
WORK = process(0, 4242, "python train.py", "30000MiB")

HEALTHY = {
    "t4": Paste(table(gpu()), READY),
    "a100 pair": Paste(table(gpu(**A100), gpu(1, **A100)), READY),
    "3090 with a desktop": Paste(
        table(gpu(**RTX | {"memory": "812MiB / 24576MiB", "disp": "On"}),
              processes=[process(0, 1500, "/usr/lib/xorg/Xorg", "600MiB", "G")]), READY),
    "v100 of today": Paste(table(gpu(name="Tesla V100-SXM2-16GB", memory="0MiB / 16384MiB")), READY),
    "p100 on 535": Paste(
        table(gpu(name="Tesla P100-PCIE-16GB", memory="0MiB / 16384MiB"), driver="535.104.05",
              cuda="12.2"), READY),
    "l4 on 580": Paste(
        table(gpu(name="NVIDIA L4", memory="0MiB / 23034MiB"), driver="580.82.07", cuda="13.0"),
        READY),
    "busy and full speed": Paste(
        table(gpu(**A100 | {"util": "98%", "memory": "30100MiB / 40960MiB", "temp": "71C",
                            "power": "399W /  400W"}), processes=[WORK]), READY),
    "wsl2": Paste(
        table(gpu(**RTX | {"memory": "900MiB / 24576MiB"}), driver="581.29", tool="580.82.10",
              cuda="13.0"), READY),
    "5090": Paste(table(gpu(**RTX | {"name": "NVIDIA GeForce RTX 5090"}), driver="575.57.08",
                        cuda="12.9"), READY),
    "quadro rtx": Paste(table(gpu(**RTX | {"name": "Quadro RTX 6000"})), READY),
}  # fmt: skip

BROKEN = {
    "one of two reads ERR!": Paste(table(gpu(), gpu(1, **LOST)), USABLE, "gpu-fell-off-bus"),
    "the only one reads ERR!": Paste(table(gpu(**LOST)), NOT_READY, "gpu-fell-off-bus"),
    "unknown error as name": Paste(
        table(gpu(), gpu(1, name="Unknown Error", mode="Err!", memory="N/A / N/A", ecc="ERR!")),
        USABLE, "gpu-fell-off-bus"),
    "gpu is lost in the row": Paste(
        table(gpu(**RTX | {"memory": "GPU is lost", "temp": "ERR!", "util": "ERR!"})), NOT_READY,
        "gpu-fell-off-bus"),
    "requires reset": Paste(
        table(gpu(**A100 | {"memory": "GPU requires reset", "util": "ERR!"})), NOT_READY,
        "ecc-or-row-remap"),
    "power reads ERR!": Paste(table(gpu(**RTX | {"power": "ERR! /  350W"})), USABLE,
                              "gpu-silent-in-nvml"),
    "ecc errors": Paste(table(gpu(**A100 | {"ecc": "12"})), NOT_READY, "ecc-or-row-remap"),
    "ecc errors on one of four": Paste(
        table(gpu(**A100), gpu(1, **A100), gpu(2, **A100 | {"ecc": "1"}), gpu(3, **A100)), USABLE,
        "ecc-or-row-remap"),
    "exclusive and taken": Paste(
        table(gpu(**A100 | {"compute": "E. Process", "memory": "30100MiB / 40960MiB"}),
              processes=[WORK]), NOT_READY, "compute-mode-exclusive"),
    "exclusive and free": Paste(table(gpu(**A100 | {"compute": "E. Process"})), USABLE,
                                "compute-mode-exclusive"),
    "prohibited": Paste(table(gpu(**A100 | {"compute": "Prohibited"})), NOT_READY,
                        "compute-mode-exclusive"),
    "prohibited one of two": Paste(table(gpu(**A100), gpu(1, **A100 | {"compute": "Prohibited"})),
                                   USABLE, "compute-mode-exclusive"),
    "mig without instances": Paste(table(gpu(**A100 | {"mig": "Enabled", "util": "N/A"}),
                                         extra=NO_INSTANCES), NOT_READY, "mig-no-instance"),
    "mig without its table": Paste(table(gpu(**A100 | {"mig": "Enabled", "util": "N/A"})),
                                   NOT_READY, "mig-no-instance"),
    "mig on one of two": Paste(table(gpu(**A100 | {"mig": "Enabled", "util": "N/A"}),
                                     gpu(1, **A100), extra=NO_INSTANCES), USABLE,
                               "mig-no-instance"),
    "full card": Paste(
        table(gpu(memory="15109MiB / 15360MiB", util="100%", perf="P0"),
              processes=[process(0, 77, "python", "15100MiB")]), USABLE, "oom-other-process"),
    "full to the last byte": Paste(
        table(gpu(**RTX | {"memory": "24576MiB / 24576MiB"}),
              processes=[process(0, 77, "python", "24500MiB")]), USABLE, "oom-other-process"),
    "ghost memory": Paste(table(gpu(**RTX | {"memory": "9120MiB / 24576MiB"})), USABLE,
                          "ghost-memory"),
    "ghost memory beside a process": Paste(
        table(gpu(**A100 | {"memory": "20000MiB / 40960MiB"}),
              processes=[process(0, 9, "python", "2000MiB")]), USABLE, "ghost-memory"),
    "too hot": Paste(table(gpu(**RTX | {"temp": "94C", "util": "99%", "perf": "P2"})), USABLE,
                     "clock-stuck-or-throttled"),
    "p8 at load": Paste(table(gpu(**RTX | {"util": "97%", "perf": "P8"})), USABLE,
                        "clock-stuck-or-throttled"),
    "no libcuda": Paste(table(gpu(), cuda="N/A"), USABLE, "capabilities-missing"),
    "unlicensed": Paste(
        "==============NVSMI LOG==============\nDriver Version : 550.54.15\nGPU 00000000:02:00.0\n"
        "    Product Name : Tesla T4\n    vGPU Software Licensed Product\n"
        "        License Status : Unlicensed (Unrestricted)\n", USABLE, "vgpu-unlicensed"),
}  # fmt: skip

OLD = {
    "k80": Paste(narrow("Tesla K80", "470.82.01", "11.4"), NOT_READY, "card-too-old-for-gpukit"),
    "gtx 970": Paste(table(gpu(name="NVIDIA GeForce GTX 970", ecc="N/A"), driver="535.154.05",
                           cuda="12.2"), NOT_READY, "card-too-old-for-gpukit"),
    "m60 beside t4": Paste(table(gpu(), gpu(1, name="Tesla M60")), USABLE,
                           "card-too-old-for-gpukit"),
    "quadro p1000 on 470": Paste(narrow("Quadro P1000", "470.57.02", "11.4"), NOT_READY,
                                 "driver-too-old"),
    "p100 on 470": Paste(narrow("Tesla P100-PCIE...", "470.82.01", "11.4"), NOT_READY,
                         "driver-too-old"),
    "t4 on 510": Paste(narrow("Tesla T4", "510.47.03", "11.6"), NOT_READY, "driver-too-old"),
    "t4 on 460 before MIG": Paste(narrow("Tesla T4", "418.67", "10.1", last=False), NOT_READY,
                                  "driver-too-old"),
    "windows with an old driver": Paste(
        narrow("GeForce MX150", "457.49", "11.1").replace("Off  |", "WDDM |"), NOT_READY,
        "driver-too-old"),
    "470 with a newer compat library": Paste(narrow("NVIDIA A100-PCI...", "470.82.01", "12.2"),
                                             NOT_READY, "driver-too-old"),
}  # fmt: skip

UNKNOWN = {
    "a name cut short": Paste(narrow("NVIDIA GeForce ...", "525.85.12", "12.0"), USABLE,
                              "card-not-known"),
    "a card of tomorrow": Paste(table(gpu(name="NVIDIA Z9000")), USABLE, "card-not-known"),
    "header alone": Paste("| NVIDIA-SMI 550.54.15  Driver Version: 550.54.15  CUDA Version: 12.4 |",
                          USABLE),
    "mig cut before its instances": Paste(
        table(gpu(**A100 | {"mig": "Enabled", "util": "N/A"})).split("\n\n")[0], USABLE,
        "smi-unknown"),
    "orin": Paste(table(gpu(name="Orin (nvgpu)", ecc="N/A", memory="Not Supported", temp="N/A",
                            perf="N/A", power="N/A / N/A", util="N/A", bus="N/A"),
                        driver="540.4.0", cuda="12.6"), USABLE),
    "names only": Paste("GPU 0: Tesla T4 (UUID: GPU-00000000-1111-2222-3333-444444444444)", USABLE),
    "names with instances": Paste(
        "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-00000000-1111-2222-3333-444444444444)\n"
        "  MIG 3g.20gb     Device  0: (UUID: MIG-00000000-1111-2222-3333-555555555555)\n", USABLE,
        "mig-one-per-process"),
    "dmon": Paste("# gpu    pwr  gtemp  mtemp     sm    mem\n# Idx      W      C      C      %      %\n"
                  "    0     43     35      -      0      0\n", USABLE, "smi-unknown"),
    "pmon": Paste("# gpu         pid   type     sm    mem    enc    dec    command\n"
                  "    0       1234     C     90     40      -      -    python\n", USABLE,
                  "smi-unknown"),
}  # fmt: skip

FAILED = {
    "cannot communicate": Paste(
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure "
        "that the latest NVIDIA driver is installed and running.", NOT_READY, "module-not-loaded"),
    "mismatch": Paste(
        "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.127",
        NOT_READY, "driver-library-mismatch"),
    "no devices": Paste("user@host:~$ nvidia-smi\nNo devices were found", NOT_READY,
                        "no-device-shown"),
    "not found in bash": Paste("bash: nvidia-smi: command not found", NOT_READY,
                               "driver-not-installed"),
    "not found in sh": Paste("/bin/sh: 1: nvidia-smi: not found", NOT_READY, "driver-not-installed"),
    "not found in zsh": Paste("zsh: command not found: nvidia-smi", NOT_READY,
                              "driver-not-installed"),
    "not found on windows": Paste(
        "'nvidia-smi' is not recognized as an internal or external command,\noperable program or "
        "batch file.", NOT_READY, "driver-not-installed"),
    "handle with unknown error": Paste(
        "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error", NOT_READY,
        "gpu-fell-off-bus"),
    "handle of a lost one": Paste(
        "Unable to determine the device handle for GPU 0000:03:00.0: GPU is lost.  Reboot\n the "
        "system to recover this GPU", NOT_READY, "gpu-fell-off-bus"),
    "not found in German": Paste("bash: nvidia-smi: Kommando nicht gefunden.", NOT_READY,
                                 "driver-not-installed"),
    "not found in Chinese": Paste("bash: nvidia-smi: 未找到命令", NOT_READY, "driver-not-installed"),
    "permissions": Paste("Failed to initialize NVML: Insufficient Permissions", NOT_READY,
                         "device-permission"),
    "docker after a reload": Paste("Failed to initialize NVML: Unknown Error", NOT_READY,
                                   "container-lost-gpu"),
    "blocked by the system": Paste(
        "Failed to initialize NVML: GPU access blocked by the operating system\nFailed to properly "
        "shut down NVML: GPU access blocked by the operating system", NOT_READY,
        "wsl-docker-blocked"),
    "no libnvidia-ml": Paste(
        "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that "
        "the NVIDIA Display Driver is properly installed and present in your system.", NOT_READY,
        "driver-not-installed"),
    "not loaded": Paste("Failed to initialize NVML: Driver Not Loaded", NOT_READY,
                        "module-not-loaded"),
    "one handle beside a table": Paste(
        "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error\n"
        + table(gpu()), USABLE, "gpu-fell-off-bus"),
}  # fmt: skip

_Q = """==============NVSMI LOG==============

Timestamp                                 : Fri Mar 14 10:21:07 2025
Driver Version                            : {driver}
CUDA Version                              : 12.4

Attached GPUs                             : 1
GPU 00000000:01:00.0
    Product Name                          : {name}
    MIG Mode
        Current                           : {mig}
        Pending                           : {mig}
    Clocks Event Reasons
        Idle                              : Not Active
        HW Slowdown                       : {slow}
            HW Thermal Slowdown           : {slow}
        SW Power Cap                      : Not Active
    FB Memory Usage
        Total                             : 40960 MiB
        Reserved                          : 500 MiB
        Used                              : 4 MiB
        Free                              : 40456 MiB
    Compute Mode                          : {mode}
    Utilization
        Gpu                               : 0 %
    ECC Errors
        Volatile
            SRAM Correctable              : 3
            SRAM Uncorrectable            : 0
            DRAM Correctable              : 0
            DRAM Uncorrectable            : {ecc}
        Aggregate
            DRAM Uncorrectable            : {past}
    Remapped Rows
        Correctable Error                 : 0
        Pending                           : {pending}
        Remapping Failure Occurred        : No
"""


def query(**changes) -> str:
    """`nvidia-smi -q` of an A100."""
    plain = {"driver": "550.54.15", "name": "NVIDIA A100-SXM4-40GB", "mig": "Disabled",
             "slow": "Not Active", "mode": "Default", "ecc": "0", "past": "0",
             "pending": "No"}  # fmt: skip
    return _Q.format(**plain | changes)


FORMS = {
    "q": Paste(query(), READY),
    "q with old errors": Paste(query(past="2"), READY),
    "q with errors": Paste(query(ecc="4"), NOT_READY, "ecc-or-row-remap"),
    "q with a pending remap": Paste(query(pending="Yes"), NOT_READY, "ecc-or-row-remap"),
    "q slowed": Paste(query(slow="Active"), USABLE, "clock-stuck-or-throttled"),
    "q prohibited": Paste(query(mode="Prohibited"), NOT_READY, "compute-mode-exclusive"),
    "q exclusive": Paste(query(mode="Exclusive_Process"), USABLE, "compute-mode-exclusive"),
    "q with mig": Paste(query(mig="Enabled"), USABLE, "smi-unknown"),
    "q on 470": Paste(query(driver="470.82.01"), NOT_READY, "driver-too-old"),
    "csv": Paste("name, driver_version, memory.total [MiB], memory.used [MiB]\n"
                 "Tesla T4, 550.54.15, 15360 MiB, 3 MiB\n", READY),
    "csv with an error": Paste(
        "index, name, driver_version, temperature.gpu, utilization.gpu [%]\n"
        "0, Tesla T4, 550.54.15, 35, 0 %\n"
        "1, Tesla T4, 550.54.15, [GPU is lost], [GPU is lost]\n", USABLE, "gpu-fell-off-bus"),
    "csv of an old driver": Paste("name, driver_version\nTesla T4, 470.82.01\n", NOT_READY,
                                  "driver-too-old"),
    "csv without a driver": Paste("name, memory.total [MiB]\nTesla T4, 15360 MiB\n", USABLE),
}  # fmt: skip


CORPUS = HEALTHY | BROKEN | OLD | UNKNOWN | FAILED | FORMS


def _wrapped(text: str, width: int = 80) -> str:
    return "\n".join(
        line[i : i + width] for line in text.split("\n") for i in range(0, max(1, len(line)), width)
    )


def _spaced(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


# What happens to a text between a terminal and a forum. None of it changes the verdict.
MISHAPS = {
    "as it is": str,
    "html": html.escape,
    "html with breaks": lambda text: "<pre>" + html.escape(text).replace("\n", "<br>") + "</pre>",
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "prompt": lambda text: f"(base) user@host:~$ nvidia-smi\n{text}\n(base) user@host:~$ ",
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "indented": lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
    "compose": lambda text: "\n".join(f"worker_1  | {line}" for line in text.split("\n")),
    "coloured": lambda text: text.replace("|", "\x1b[32m|\x1b[0m"),
    "no-break spaces": lambda text: text.replace(" ", "\xa0"),
    "drawn bars": lambda text: text.replace("|", "│"),
}
# These hold for tables alone.
TABLE_MISHAPS = {"wrapped at 80": _wrapped, "lost spacing": _spaced}
