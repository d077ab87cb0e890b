#!/bin/sh
# recipes.sh - target log-likelihood against compute: the table of doc/TRAINING.md.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   benchmarks/recipes.sh FOLDER [ROW…]
#
# Trains one model for each row below, on one thread, and scores it on 3,200 tasks with 10 samples;
# weights and logs are kept in FOLDER, and what is there is not trained again.  Rows are named
# kind-batch and letters: b sizes by batch, e average, h high rate, m, mh, mx Muon at three rates, p
# norms first, w weight decay; and of Muon at the highest rate: mxb, mxe, mxp, mxw, mxn no warm-up,
# mxl a long one.  Environment: bindir (where bo-train and bo-eval are; default: the
# build tree that this is run in), seed (default 1), scale (of the number of tasks; default 1).
set -eu
bindir=${bindir:-.}
seed=${seed:-1}
scale=${scale:-1}
[ $# -gt 0 ] || {
    echo "usage: $0 FOLDER [ROW…]" >&2
    exit 2
}
folder=$1
shift
mkdir -p "$folder"

# Tasks that a kind sees.
tasks_of() # KIND
{
    case $1 in
    cnp) echo $((100000 * scale)) ;;
    np | bnp) echo $((40000 * scale)) ;;
    *) echo $((15000 * scale)) ;;
    esac
}

extra_of() # LETTER
{
    case $1 in
    e) echo '--ema 0.999' ;;
    p) echo '--norm pre' ;;
    w) echo '--weight-decay 0.1' ;;
    esac
}

# The options of a row, but for model and steps.
options_of() # LETTERS BATCH
{
    usual="--batch $2 --lr 1e-3 --warmup 200"
    [ "$1$2" != 100 ] || usual='--batch 100 --lr 5e-4 --warmup 0'
    case $1 in
    b) echo "$usual --sizes batch" ;;
    e | p | w) echo "$usual --sizes group $(extra_of "$1")" ;;
    h) echo "--batch $2 --lr 2e-3 --warmup 200 --sizes group" ;;
    m) echo "$usual --sizes group --optimizer muon" ;;
    mh) echo "--batch $2 --lr 2e-3 --warmup 200 --sizes group --optimizer muon" ;;
    mx) echo "--batch $2 --lr 4e-3 --warmup 200 --sizes group --optimizer muon" ;;
    mxb) echo "--batch $2 --lr 4e-3 --warmup 200 --sizes batch --optimizer muon" ;;
    mxl) echo "--batch $2 --lr 4e-3 --warmup 1000 --sizes group --optimizer muon" ;;
    mxn) echo "--batch $2 --lr 4e-3 --warmup 0 --sizes group --optimizer muon" ;;
    mxe | mxp | mxw)
        echo "$(options_of mx "$2") $(extra_of "${1#mx}")" ;;
    *) echo "$usual --sizes $([ "$2" = 100 ] && echo batch || echo group)" ;;
    esac
}

# $now becomes the user and system seconds of all children so far.
look_at_clock()
{
    times >"$folder/times" # not in a subshell, whose children are others
    now=$(tail -n 1 "$folder/times" | tr 'ms' '  ' | awk '{ print 60 * $1 + $2 + 60 * $3 + $4 }')
}

row() # NAME
{
    kind=${1%%-*}
    batch=$(printf '%s' "${1#*-}" | tr -d a-z)
    letters=$(printf '%s' "${1#*-}" | tr -d 0-9)
    options="--model $kind --recipe paper --steps $(($(tasks_of "$kind") / batch)) \
$(options_of "$letters" "$batch")"
    weights="$folder/$1-s$seed.safetensors"
    if [ ! -s "$weights" ]; then
        look_at_clock
        begin=$now
        # shellcheck disable=SC2086
        "$bindir/bo-train" $options --seed "$seed" --threads 1 --score-every 1000000 \
            --output "$weights" 2>"$folder/$1-s$seed.log"
        look_at_clock
        echo "$begin $now" | awk '{ printf "%.0f\n", $2 - $1 }' >"$folder/$1-s$seed.cpu"
    fi
    score=$("$bindir/bo-eval" regression --model "$weights" --tasks 3200 --samples 10 --threads 1 |
        awk 'NR == 3 { print $5 }')
    echo "| $1 | $seed | $(tasks_of "$kind") | $(cat "$folder/$1-s$seed.cpu") | $score |" \
        "\`bo-train $options\` |"
}

[ $# -gt 0 ] || set -- \
    cnp-100 cnp-25 cnp-25h cnp-100mh cnp-25m cnp-25mh cnp-25mx np-25 np-25mx \
    bnp-100 bnp-25 bnp-25m bnp-25mh bnp-25mx \
    banp-10 banp-10p banp-10m banp-10mh banp-10mx \
    cnp-10mx cnp-50mx cnp-25mxb cnp-25mxe cnp-25mxw cnp-25mxn cnp-25mxl \
    bnp-10mx bnp-25mxe bnp-25mxw banp-25mx banp-10mxe banp-10mxw banp-10mxp
echo '| row | seed | tasks | CPU s | target | command |'
echo '|---|---|---|---|---|---|'
for name; do
    row "$name"
done
