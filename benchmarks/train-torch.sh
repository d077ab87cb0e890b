#!/bin/sh
# train-torch.sh - a training step: bo beside PyTorch at its best setting, in one run.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: benchmarks/train-torch.sh [MODEL…]
#
# Milliseconds of the clock for a step of 100 RBF tasks with 4 samples, as a table.  PyTorch runs on
# one thread (more make it slower) with each of OpenBLAS's kernels that the CPU has, and the fastest
# counts; bo runs on all cores, in float32 and in its default precision, twice before PyTorch and
# twice after it, and the fastest counts.
#
# Environment: BO_BENCH (bo-bench), PYTHON (/usr/bin/python3), MODELS (the folder of weights), STEPS
# (of each; default 30).  Exit status 77: no PyTorch.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bench=${BO_BENCH:-bo-bench}
python=${PYTHON:-/usr/bin/python3}
models=${MODELS:-$here/../models}
steps=${STEPS:-30}
[ $# -gt 0 ] || set -- cnp np bnp canp anp banp
"$python" -c 'import torch' 2>/dev/null || {
    echo 'train-torch.sh: no PyTorch (Debian: apt-get install python3-torch)' >&2
    exit 77
}
threads=$(nproc)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ours() # MODEL PRECISION: two lines "ms GFLOP/s"
{
    for _ in 1 2; do
        # twice the steps: they are shorter, and sizes vary between them
        "$bench" train --model "$1" --precision "$2" --threads "$threads" \
            --steps $((2 * steps)) | awk 'NR == 2 { print $2, $7 }'
    done
}

theirs() # MODEL: "ms kernels" of the fastest kernels
{
    for kernels in '' SkylakeX Zen Haswell; do
        ms=$(OPENBLAS_CORETYPE=$kernels OMP_NUM_THREADS=1 \
            "$python" "$here/train-torch.py" "$models/$1-paper.safetensors" "$steps" 2>/dev/null) ||
            continue
        echo "$ms ${kernels:-default}"
    done | sort -n | head -n 1
}

echo '| model | PyTorch | its kernels | bo, float32 | ratio | bo, bf16 | ratio | GFLOP/s |'
echo '|---|---|---|---|---|---|---|---|'
for model; do
    ours "$model" float32 >"$folder/float32"
    ours "$model" bf16 >"$folder/bf16"
    torch=$(theirs "$model")
    ours "$model" float32 >>"$folder/float32"
    ours "$model" bf16 >>"$folder/bf16"
    echo "$model $torch $(sort -n "$folder/float32" | head -n 1) \
        $(sort -n "$folder/bf16" | head -n 1)" | awk '{
        printf "| %s | %.1f | %s | %.2f | %.1f | %.2f | %.1f | %.0f |\n", $1, $2, $3, $4, $2 / $4,
            $6, $2 / $6, $7 }'
done
