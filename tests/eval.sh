#!/bin/sh
# eval.sh - bo-eval scores, predicts and draws, with models trained for a few steps.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
eval="$top_builddir/bo-eval"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
BO_MODELS=$folder
export BO_MODELS

fail()
{
    echo "$*" >&2
    exit 1
}

# bo-eval is given what it must refuse: exit status, a word it must say.
refuses() # STATUS WORD ARGUMENT…
{
    wanted=$1
    word=$2
    shift 2
    status=0
    "$eval" "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ $status -eq "$wanted" ] || fail "bo-eval $*: exit status $status, not $wanted"
    grep -q -e "$word" "$folder/err" || fail "bo-eval $*: does not say '$word'"
}

train() # KIND NAME DIM [PRIOR]
{
    "$top_builddir/bo-train" --model "$1" --dim "$3" --prior "${4:-rbf}" --steps 3 --batch 4 \
        --score-batches 1 --quiet --output "$folder/$2.safetensors" >"$folder/train" 2>&1 || fail "$(cat "$folder/train")"
}
train banp banp-paper 1
train cnp cnp-paper 1
train cnp wide 2
train banp series 1 predator

"$eval" --help | grep -q regression
"$eval" regression --help | grep -q -e --kernel
refuses 2 'regression' regresion
refuses 2 'option' regression --kernel cubic
refuses 2 '.csv' regression --output table.txt
refuses 1 'no-such' regression --model no-such.safetensors
mkfifo "$folder/pipe"
refuses 1 'not a regular file' regression --model "$folder/pipe"
refuses 1 'not a regular file' regression --model "$folder"
refuses 1 'unknown' regression --model anp@blunt
refuses 2 'context' predict --model banp --at x.csv
refuses 2 'one --model' predict --context a --at b
refuses 2 'output' plot --model banp

# regression: a line for each model, the limits below, the same in CSV and JSON
"$eval" regression --model cnp --model banp --tasks 32 --samples 4 --kernel rbf,tnoise \
    --output "$folder/t.csv" >"$folder/out"
# Figures of the paper stand in columns of their own below each model's.
below() # MODEL NUMBER FIGURE…: of the NUMBER-th line of that model
{
    awk -v model="$1" -v number="$2" '$1 == model { seen++ }
        $1 == "paper" && seen == number { $1 = $1; print; exit }' "$folder/out" >"$folder/below"
    shift 2
    [ "$(cat "$folder/below")" = "paper $*" ] || fail "paper: $(cat "$folder/below"), not $*"
}
below cnp@paper 1 0.972 0.448 0.059 0.0720
below cnp@paper 2 0.363 -1.528 0.029 0.0930
below banp@paper 2 1.142 -1.718 0.035 0.0950
number='-*[0-9.]* ± [0-9.]*'
grep -q "^cnp@paper  *$number  *$number  *$number  *$number\$" "$folder/out" ||
    fail "standard errors: $(cat "$folder/out")"
head -1 "$folder/t.csv" | grep -q ',paper_context,paper_target,paper_ce,paper_sharpness$' ||
    fail "header: $(head -1 "$folder/t.csv")"
grep -q '^rbf,banp@paper,.*,1.379,0.851,0.264,0.057$' "$folder/t.csv" ||
    fail "CSV: $(cat "$folder/t.csv")"
[ "$(grep -c '^exact GP' "$folder/out")" -eq 2 ] || fail 'the limits are not there once'
head -1 "$folder/t.csv" | grep -q '^kernel,model,kind,tasks,context,context_se,target,' ||
    fail "header: $(head -1 "$folder/t.csv")"
[ "$(wc -l <"$folder/t.csv")" -eq 7 ] || fail "CSV: $(cat "$folder/t.csv")"
"$eval" regression --tasks 16 --samples 2 --threads 1 --output "$folder/t.json" \
    "$folder/banp-paper.safetensors" "$folder/wide.safetensors" >"$folder/out" 2>&1 &&
    fail 'two models of different dimensions were scored on the same tasks'
"$eval" regression --tasks 16 --output "$folder/t.json" --model "$folder/wide.safetensors" >"$folder/out"
[ "$(grep -c '± n/a .*± n/a .*± n/a .*± n/a$' "$folder/out")" -eq 3 ] ||
    fail "errors of one group: $(cat "$folder/out")"
head -1 "$folder/t.json" | grep -q '^\[$' || fail 'JSON does not begin with ['
grep -q '"model": "wide"' "$folder/t.json" || fail "JSON: $(cat "$folder/t.json")"

"$eval" regression --tasks 16 --kernel periodic --model "$folder/wide.safetensors" >"$folder/out" ||
    fail 'the exact GP of periodic tasks with two inputs'
[ "$(grep -c '^exact GP' "$folder/out")" -eq 2 ] || fail "two inputs: $(cat "$folder/out")"

# predict: mean and sd; components average to the mean; the base path has one
printf '%s\n' x,y -1,0.2 0.5,-0.3 1.5,0.1 >"$folder/context.csv"
printf '%s\n' x 0 1 >"$folder/at.csv"
run="$eval predict --context $folder/context.csv --variant paper"
$run --model banp --at "$folder/at.csv" --samples 3 --components >"$folder/out"
head -1 "$folder/out" | grep -q '^x,mean,sd,mean_k1,sd_k1,mean_k2,' || fail "$(cat "$folder/out")"
awk -F, 'NR > 1 { d = ($4 + $6 + $8) / 3 - $2; if (d > 1e-9 || d < -1e-9) bad = 1; rows++ }
    END { exit bad || rows != 2 }' "$folder/out" || fail "components: $(cat "$folder/out")"
$run --model banp --base --at - <"$folder/at.csv" >"$folder/base"
[ "$(wc -l <"$folder/base")" -eq 3 ] || fail 'base path'
refuses 1 'columns' predict --model "$folder/wide.safetensors" --context "$folder/context.csv" \
    --at "$folder/at.csv"

printf '%s\n' 0,0.1 1,1e39 >"$folder/huge.csv"
refuses 1 'too large' predict --model banp@paper --context "$folder/huge.csv" --at "$folder/at.csv"
printf '%s\n' 0,0.1 1,1e30 >"$folder/huge.csv"
refuses 1 'too large' predict --model banp@paper --context "$folder/huge.csv" --at "$folder/at.csv"
printf '%s\n' 0 1e39 >"$folder/far.csv"
refuses 1 'point 2' predict --model cnp@paper --context "$folder/context.csv" --at "$folder/far.csv"

# series: two outputs, simulated and real; the data is found like the weights
pair="$folder/series.safetensors"
"$eval" regression --model "$pair" --kernel predator,hare-lynx --tasks 16 --samples 3 \
    --output "$folder/s.csv" >"$folder/out" || fail 'series'
[ "$(grep -c '^series ' "$folder/out")" -eq 2 ] || fail "series: $(cat "$folder/out")"
below series 1 2.586 1.855 0.140 0.0740
below series 2 1.783 -5.465 0.539 0.3520
"$eval" regression --model "$pair" --kernel hare-lynx --tasks 16 --samples 3 \
    --data "$top_srcdir/models/hare-lynx.txt" --threads 1 >"$folder/again"
[ "$(tail -2 "$folder/again")" = "$(tail -2 "$folder/out")" ] || fail 'the shipped data is other data'
refuses 1 'predator and hare-lynx' regression --model "$pair" --kernel rbf
refuses 1 'prior predator' regression --model cnp --kernel predator
refuses 1 'is for --kernel hare-lynx' regression --model cnp --data "$folder/at.csv"
refuses 1 '3 columns' regression --model "$pair" --kernel hare-lynx --data "$folder/context.csv"
refuses 2 'outputs' regression --model "$pair" --kernel rbf,predator
awk '!/#/ && NR % 3 { print $1 "," $3 "," $2 }' "$top_srcdir/models/hare-lynx.txt" >"$folder/c.csv"
printf '%s\n' 1850 1900 >"$folder/years.csv"
"$eval" predict --model "$pair" --context "$folder/c.csv" --at "$folder/years.csv" >"$folder/out" ||
    fail 'predictions of two outputs'
head -1 "$folder/out" | grep -q '^x,mean_1,sd_1,mean_2,sd_2$' || fail "$(cat "$folder/out")"
awk -F, 'NR > 1 && ($1 < 1850 || $2 < 1 || $2 > 90 || $3 < 5 || $4 < 5 || $4 > 150) { exit 1 }' \
    "$folder/out" || fail "not in the units of the data: $(cat "$folder/out")"
status=0
"$top_builddir/bo-run" --surrogate banp --model "$pair" --objective gp_rbf >"$folder/out" 2>&1 ||
    status=$?
{ [ $status -ne 0 ] && grep -q 'predicts 2 values a point' "$folder/out" &&
    grep -q 'bo-train --model banp' "$folder/out"; } || fail "bo-run: $(cat "$folder/out")"

# plot: a picture, where gnuplot is
if command -v gnuplot >/dev/null 2>&1; then
    "$eval" plot --model banp --model cnp --samples 3 --kernel all --limit \
        --output "$folder/tasks.svg" || fail 'plot'
    grep -q '</svg>' "$folder/tasks.svg" || fail 'no picture'
    "$eval" plot --model "$pair" --samples 3 --kernel predator,hare-lynx \
        --output "$folder/series.svg" || fail 'plot of series'
    grep -q 'prey' "$folder/series.svg" || fail 'no panel for the prey'
    refuses 1 'outputs' plot --model "$pair" --output "$folder/no.svg"
    "$eval" plot --model cnp --output - >"$folder/out" || fail 'plot in the terminal'
    grep -q 'cnp@paper' "$folder/out" || fail 'no title in the terminal'
fi
