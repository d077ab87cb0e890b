#!/bin/sh
# suggest-torch.sh - predictions behind a suggestion: bo beside PyTorch, the authors' way.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: benchmarks/suggest-torch.sh [check]
#
# Milliseconds of CPU time, one thread each, to read 25 observations and predict 1,000 points of a
# line with 200 samples, as a table; both read the same weight files.  An ensemble (cnp+de) is its
# five members one after the other; gp has no other side.  First, and with `check` only, the base
# paths of both are compared at the 1,000 points: they must agree to 1e-4.
#
# Environment: BO_BENCH, BO_EVAL (bo-bench, bo-eval), PYTHON (/usr/bin/python3), VARIANT (sharp),
# MODELS (the folder of weights).  Exit status 77: no PyTorch.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bench=${BO_BENCH:-bo-bench}
eval=${BO_EVAL:-$(dirname "$bench")/bo-eval}
case $eval in ./bo-eval) [ -x "$eval" ] || eval=bo-eval ;; esac
python=${PYTHON:-/usr/bin/python3}
models=${MODELS:-$here/../models}
variant=${VARIANT:-sharp}
kinds='cnp np bnp canp anp banp'
ensembles='cnp canp'
"$python" -c 'import torch' 2>/dev/null || {
    echo 'suggest-torch.sh: no PyTorch (Debian: apt-get install python3-torch)' >&2
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

awk 'BEGIN { print "x,y"; for (i = 0; i < 25; i++) { x = -1.9 + i * 0.157
    printf "%.6f,%.6f\n", x, 0.7 * sin(4 * x) } }' >"$folder/context.csv"
awk 'BEGIN { print "x"; for (i = 0; i < 1000; i++) printf "%.9g\n", -2 + 4 * i / 999 }' \
    >"$folder/at.csv"
for kind in $kinds; do
    file=$models/$kind-$variant.safetensors
    "$python" "$here/suggest-torch.py" base "$file" "$folder/context.csv" >"$folder/theirs"
    "$eval" predict --model "$file" --base --context "$folder/context.csv" \
        --at "$folder/at.csv" >"$folder/ours"
    gap=$(awk -F, 'FNR == NR { if (FNR > 1) { m[FNR - 1] = $(NF - 1); s[FNR - 1] = $NF } next }
        { a = m[FNR] - $1; b = s[FNR] - $2; a = a < 0 ? -a : a; b = b < 0 ? -b : b
          gap = a > gap ? a : gap; gap = b > gap ? b : gap; n++ }
        END { printf "%.3g", n == 1000 ? gap : 1 }' "$folder/ours" "$folder/theirs")
    echo "$kind: base paths differ by at most $gap" >&2
    awk -v gap="$gap" 'BEGIN { exit !(gap < 1e-4) }' || {
        echo "suggest-torch.sh: $kind does not predict the same in both" >&2
        exit 1
    }
done
[ "${1:-}" != check ] || exit 0

"$bench" predict --surrogates gp,cnp,np,bnp,canp,anp,banp,cnp+de,canp+de --sizes 25 --samples 200 \
    --variant "$variant" --output "$folder/ours.csv" >/dev/null
for kind in $kinds; do
    set -- "$@" "$models/$kind-$variant.safetensors"
done
for kind in $ensembles; do
    for seed in 2 3 4 5; do
        set -- "$@" "$models/$kind-$variant-s$seed.safetensors"
    done
done
OMP_NUM_THREADS=1 "$python" "$here/suggest-torch.py" time "$@" >"$folder/theirs.csv"
printf '| surrogate | bo: fit | bo: fit and 1,000 points | PyTorch | PyTorch / bo |\n'
printf '|---|---|---|---|---|\n'
awk -F, 'FNR == NR { if (FNR > 1) { fit[$1] = $4; all[$1] = $4 + $5; order[++n] = $1 } next }
    { sub(/\.safetensors$/, "", $1); split($1, name, "-"); member = $1 ~ /-s[0-9]+$/
      if (!member) theirs[name[1]] = $2
      theirs[name[1] "+de"] += $2 }
    END { for (i = 1; i <= n; i++) { k = order[i]
        printf "| %s | %.2f ms | %.2f ms | ", k, fit[k], all[k]
        if (k in theirs) printf "%.1f ms | %.1f |\n", theirs[k], theirs[k] / all[k]
        else printf "| |\n" } }' \
    "$folder/ours.csv" "$folder/theirs.csv"
