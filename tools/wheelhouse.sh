#!/usr/bin/env bash
# Packs what benchmarks/gpu_day.sh needs on a machine without network:
#   tools/wheelhouse.sh DIR [PYTHON [WHEEL]]
# puts gpukit's wheel for PYTHON (python3.12 by default, the machine's version) and the wheels of the tests'
# requirements for that version into DIR. WHEEL is one that tools/build_wheels.py made; without it, one is built.
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$1
python=${2:-python3.12}
wheel=${3:-}
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
"$python" -m venv "$environment"
mkdir -p "$directory"
if [ -n "$wheel" ]; then
  cp "$wheel" "$directory"
else
  "$environment/bin/python" -m pip wheel -q --no-deps --wheel-dir "$directory" .
fi
"$environment/bin/python" -m pip download -q --only-binary=:all: --dest "$directory" -r benchmarks/gpu_day/requirements.txt
bytes=$(du -sb "$directory" | cut -f1)
echo "$directory: $((bytes / 1000000)) MB"
[ "$bytes" -le 60000000 ] || {
  echo "That is more than 60 MB." >&2
  exit 1
}
