"""What nvidia-smi printed on the machines of the tutorials, and on some others."""

from __future__ import annotations

# A laptop under Windows, before and after some work: the old narrow layout.
MX150_BEFORE = """\
Mon Oct 28 09:55:41 2024       
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 457.49       Driver Version: 457.49       CUDA Version: 11.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name            TCC/WDDM | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|   0  GeForce MX150      WDDM  | 00000000:01:00.0 Off |                  N/A |
| N/A   51C    P0    N/A /  N/A |    505MiB /  2048MiB |      0%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+
                                                                               
+-----------------------------------------------------------------------------+
| Proces
"""  # noqa: W291, W293 (as it was printed)

MX150_AFTER = (
    MX150_BEFORE.replace("09:55:41", "15:12:54").replace("51C", "52C").replace("505MiB", "580MiB")
)

# Four cards under Linux, with processes: the layout before MIG.
V100_FOUR = """\
Mon Jan 17 01:34:20 2022
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  Off  | 00000000:00:1B.0 Off |                    0 |
| N/A   42C    P0    52W / 300W |   1358MiB / 16130MiB |     20%      Default |
+-------------------------------+----------------------+----------------------+
|   1  Tesla V100-SXM2...  Off  | 00000000:00:1C.0 Off |                    0 |
| N/A   44C    P0    39W / 300W |     11MiB / 16130MiB |      0%      Default |
+-------------------------------+----------------------+----------------------+
|   2  Tesla V100-SXM2...  Off  | 00000000:00:1D.0 Off |                    0 |
| N/A   77C    P0   292W / 300W |   3964MiB / 16130MiB |     99%      Default |
+-------------------------------+----------------------+----------------------+
|   3  Tesla V100-SXM2...  Off  | 00000000:00:1E.0 Off |                    0 |
| N/A   58C    P0    58W / 300W |     11MiB / 16130MiB |      0%      Default |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0     30549      C   ...conda3/envs/d2l-zh-release-0/bin/python  1347MiB |
|    2     85969      C   ...conda3/envs/d2l-en-release-1/bin/python  3953MiB |
+-----------------------------------------------------------------------------+
"""

# A laptop under Windows: the wide layout of newer drivers.
RTX_3050 = """\
Sun Apr 20 19:17:13 2025       
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 566.07                 Driver Version: 566.07         CUDA Version: 12.7     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                  Driver-Model | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|   0  NVIDIA GeForce RTX 3050 ...  WDDM  |   00000000:01:00.0 Off |                  N/A |
| N/A   53C    P8              3W /   80W |       0MiB /   4096MiB |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+
"""  # noqa: W291

TUTORIALS = {
    "mx150-before": MX150_BEFORE,
    "mx150-after": MX150_AFTER,
    "v100-four": V100_FOUR,
    "rtx-3050": RTX_3050,
}

# Made up after the layout of current drivers.
T4_TODAY = """\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.82.07              Driver Version: 580.82.07      CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  Tesla T4                       Off |   00000000:00:04.0 Off |                    0 |
| N/A   36C    P8              9W /   70W |       2MiB /  15360MiB |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A            1842      C   /usr/bin/python3                        102MiB |
|    0   N/A  N/A            1999    C+G   a name with spaces.exe                    N/A  |
+-----------------------------------------------------------------------------------------+
"""

A100_MIG = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0     |
|-------------------------------+----------------------+----------------------+
|   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                   On |
| N/A   30C    P0    43W / 400W |     45MiB / 40960MiB |     N/A      Default |
|                               |                      |              Enabled |
+-------------------------------+----------------------+----------------------+
| MIG devices:                                                                |
+------------------+----------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |
|==================+======================+===========+=======================|
|  0    1   0   0  |     19MiB / 20096MiB | 42      0 |  3   0    2    0    0 |
|  0    2   0   1  |     19MiB / 20096MiB | 42      0 |  3   0    2    0    0 |
+------------------+----------------------+-----------+-----------------------+
| Processes:                                                                  |
|  No running processes found                                                 |
+-----------------------------------------------------------------------------+
"""

WSL2 = T4_TODAY.replace("NVIDIA-SMI 580.82.07 ", "NVIDIA-SMI 580.82.10 ").replace(
    "Driver Version: 580.82.07", "Driver Version: 581.29   "
)


def coloured(text: str) -> str:
    """The text as a colouring terminal would copy it."""
    return text.replace("|", "\x1b[1;32m|\x1b[0m").replace("NVIDIA-SMI", "\x1b[31mNVIDIA-SMI\x1b[m")
