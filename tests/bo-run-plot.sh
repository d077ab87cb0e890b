#!/bin/sh
# bo-run-plot.sh - pictures of every kind, and runs that complete without gnuplot.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
run=$top_builddir/bo-run
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail()
{
    echo "$*"
    exit 1
}

# Without gnuplot on the PATH: a message, the run completes, status 0.
mkdir empty
PATH=$place/empty "$run" --objective forrester --iterations 2 --plot a.png --output a.csv \
    >said 2>errors || fail "no success without gnuplot"
grep -q 'gnuplot-nox' errors || fail "the package is not named: $(cat errors)"
grep -q '^ended' said || fail "the run did not complete"
[ -e a.png ] && fail "a picture without gnuplot?"
command -v gnuplot >/dev/null || { echo "no gnuplot: pictures not tested"; exit 0; }

# draws FILE MAGIC OPTION…
draws()
{
    file=$1 magic=$2
    shift 2
    "$run" "$@" --quiet --plot "$file" >said 2>errors || fail "failed: bo-run $*: $(cat errors)"
    [ -s errors ] && fail "complaints: $(cat errors)"
    [ "$(head -c 5 "$file" | tr -cd 'A-Za-z%<?!')" = "$magic" ] || fail "$file is no picture"
}
draws a.png PNG --objective forrester --iterations 3
draws b.svg '<?xml' --objective branin --iterations 3
draws c.pdf %PDF --objective hartmann3 --iterations 3
draws d.png PNG --objective sphere --dim 12 --iterations 2 --maximize
draws e.png PNG --command 'echo {a}' --parameter a=log:1e-3:1 --iterations 2
draws f.png PNG --command 'echo {a}' --parameter a=log:1e-3:1 --parameter b=0:1 --iterations 2
draws g.png PNG --command 'echo {a}' --parameter a=int:1:9 --parameter "k'=cat:x'y,{z},%s" \
    --parameter b=bool --iterations 2
draws h.png PNG --command 'echo 1' --parameter a=0:1 --init 1 --iterations 0
"$run" --objective forrester --iterations 4 --quiet --plot - >said
grep -q evaluations said || fail "nothing was drawn on the terminal"
ls -A | grep -q part && fail "temporary files were left"
exit 0
