#!/usr/bin/env bash
# Everything that a GPU can show about gpukit: tests, sanitizer, measurements, peers. No network needed.
#
#   benchmarks/gpu_day.sh --wheel WHEEL [--wheelhouse DIR] [--out DIR] [--stage NAME]... [--seed N]
#   benchmarks/gpu_day.sh --simulate [--out DIR] [--stage NAME]...
#
# Stages: machine kernels measure suite peers sanitizer conformance approximations instructions executor counters, in this
# order, each within 8 minutes, all within 24. Each writes OUT/NAME.json and its part of OUT/report.md; one that fails does not stop the next. WHEEL goes into a
# fresh environment that also sees the system's packages (torch, CuPy); `tools/wheelhouse.sh` packs it with the
# tests' requirements. With --simulate the installed gpukit runs on a simulated GPU: no figure is a GPU's.
set -euo pipefail
cd "$(dirname "$0")/.."

wheel='' wheelhouse='' python=${PYTHON:-python3} rest=()
while [ $# -gt 0 ]; do
  case $1 in
    --wheel) wheel=$2 && shift 2 ;;
    --wheelhouse) wheelhouse=$2 && shift 2 ;;
    *) rest+=("$1") && shift ;;
  esac
done

if [ -n "$wheel" ]; then
  environment=$(mktemp -d)
  trap 'rm -rf "$environment"' EXIT
  "$python" -m venv --system-site-packages "$environment"
  # Where PYTHON is a virtual environment's, its packages are not the system's: they are named here.
  "$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
    >"$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/parent.pth"
  export PIP_NO_INDEX=1 PIP_FIND_LINKS=$wheelhouse
  "$environment/bin/python" -m pip install -q --no-deps "$wheel"
  if [ -n "$wheelhouse" ]; then
    "$environment/bin/python" -m pip install -q -r benchmarks/gpu_day/requirements.txt
  fi
  export PATH="$environment/bin:$PATH"
  python="$environment/bin/python"
fi
PYTHONPATH="benchmarks${PYTHONPATH:+:$PYTHONPATH}" "$python" -m gpu_day "${rest[@]}"
