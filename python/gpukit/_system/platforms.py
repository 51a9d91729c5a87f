"""Where this runs: a hosted notebook, a cloud, WSL, a container, a cluster. By files and names."""

from __future__ import annotations

from dataclasses import dataclass

from gpukit._system.machine import Machine

LABELS = {
    "colab": "Google Colab",
    "kaggle": "Kaggle",
    "sagemaker-studiolab": "SageMaker Studio Lab",
    "sagemaker": "Amazon SageMaker",
    "paperspace": "Paperspace",
    "runpod": "RunPod",
    "vast": "Vast.ai",
    "huggingface-spaces": "Hugging Face Spaces",
    "lightning": "Lightning AI",
    "databricks": "Databricks",
    "slurm": "a SLURM cluster",
    "wsl1": "WSL1",
    "wsl2": "WSL2",
    "aws": "Amazon EC2",
    "gcp": "Google Cloud",
    "azure": "Microsoft Azure",
    "oracle": "Oracle Cloud",
    "jetson": "NVIDIA Jetson",
    "container": "a container",
    "macos": "macOS",
    "windows": "Windows",
    "plain": "an ordinary machine",
}
# Hosted notebooks where the user cannot change the driver.
HOSTED = ("colab", "kaggle", "sagemaker-studiolab", "huggingface-spaces", "lightning", "paperspace")

# First match wins: Colab and Kaggle run on Google's cloud, RunPod in containers.
_BY_VARIABLE = (
    ("kaggle", ("KAGGLE_KERNEL_RUN_TYPE", "KAGGLE_URL_BASE", "KAGGLE_DATA_PROXY_TOKEN")),
    ("colab", ("COLAB_RELEASE_TAG", "COLAB_GPU", "COLAB_BACKEND_VERSION")),
    ("huggingface-spaces", ("SPACE_ID",)),
    ("runpod", ("RUNPOD_POD_ID",)),
    ("vast", ("VAST_CONTAINERLABEL",)),
    ("lightning", ("LIGHTNING_CLOUD_URL", "LIGHTNING_CLOUDSPACE_HOST")),
    ("paperspace", ("PAPERSPACE_METRIC_WORKLOAD_ID", "PAPERSPACE_FQDN")),
    ("databricks", ("DATABRICKS_RUNTIME_VERSION",)),
)
_BY_FILE = (
    ("kaggle", ("/kaggle/working",)),
    ("colab", ("/var/colab", "/opt/bin/.nvidia")),
)
_STUDIOLAB = ("/home/studio-lab-user", "/opt/amazon/sagemaker/studiolab")
_SAGEMAKER = ("/opt/ml/metadata/resource-metadata.json",)
_AZURE_TAG = "7783-7084-3265-9085-8269-3286-77"


@dataclass(frozen=True)
class Platform:
    """Where this runs. `name` is the most telling of the rest."""

    name: str
    cloud: str | None = None
    container: str | None = None
    wsl: int = 0
    slurm: bool = False

    @property
    def label(self) -> str:
        """The name for people."""
        return LABELS[self.name]

    @property
    def hosted(self) -> bool:
        """True where the driver belongs to the service."""
        return self.name in HOSTED


def cloud_of(machine: Machine) -> str | None:
    """The cloud that the firmware names."""
    vendor = machine.read("/sys/class/dmi/id/sys_vendor")
    product = machine.read("/sys/class/dmi/id/product_name")
    tag = machine.read("/sys/class/dmi/id/chassis_asset_tag")
    if vendor == "Amazon EC2":
        return "aws"
    if vendor == "Google" or product == "Google Compute Engine":
        return "gcp"
    if tag == _AZURE_TAG or (
        vendor == "Microsoft Corporation" and machine.exists("/var/lib/waagent")
    ):
        return "azure"
    return "oracle" if tag == "OracleCloud.com" else None


def container_of(machine: Machine) -> str | None:
    """The kind of container, if this is one."""
    if machine.env("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    if machine.env("APPTAINER_CONTAINER") or machine.env("SINGULARITY_CONTAINER"):
        return "apptainer"
    if machine.exists("/run/.containerenv"):
        return "podman"
    groups = machine.read("/proc/1/cgroup")
    if machine.exists("/.dockerenv") or "docker" in groups:
        return "docker"
    return "kubernetes" if "kubepods" in groups else None


def wsl_of(machine: Machine) -> int:
    """0, or the version of WSL."""
    release = machine.read("/proc/sys/kernel/osrelease") or machine.kernel
    if "microsoft" not in release.lower():
        return 0
    return 2 if "WSL2" in release or machine.exists("/dev/dxg") else 1


def _hosted_name(machine: Machine) -> str | None:
    for name, variables in _BY_VARIABLE:
        if any(machine.env(variable) for variable in variables):
            return name
    for name, places in _BY_FILE:
        if machine.seen(*places):
            return name
    if machine.seen(*_STUDIOLAB):
        return "sagemaker-studiolab"
    return "sagemaker" if machine.seen(*_SAGEMAKER) else None


def detect(machine: Machine | None = None) -> Platform:
    """Where this runs, from files and variables only."""
    machine = machine or Machine()
    wsl, slurm = wsl_of(machine), bool(machine.env("SLURM_JOB_ID"))
    cloud, container = cloud_of(machine), container_of(machine)
    if machine.system == "Darwin":
        name = "macos"
    elif machine.system == "Windows":
        name = "windows"
    elif wsl:
        name = f"wsl{wsl}"
    elif machine.exists("/etc/nv_tegra_release"):
        name = "jetson"
    else:
        fallback = "slurm" if slurm else cloud or ("container" if container else "plain")
        name = _hosted_name(machine) or fallback
    return Platform(name, cloud, container, wsl, slurm)
