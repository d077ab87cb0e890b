#!/bin/sh
# bench.sh - bo-bench measures what it is asked to, small.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
bench="$top_builddir/bo-bench"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail()
{
    echo "$*" >&2
    exit 1
}

# bo-bench is given what it must refuse, with a word it must say.
refuses() # WORD ARGUMENT…
{
    word=$1
    shift
    status=0
    "$bench" "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ $status -eq 2 ] || fail "bo-bench $*: exit status $status, not 2"
    grep -q -e "$word" "$folder/err" || fail "bo-bench $*: does not say '$word'"
}

"$bench" --help | grep -q suggest
"$bench" optimize --help | grep -q -e --functions
"$bench" suggest --help | grep -q -e --kernel
refuses 'optimize' optimise
refuses 'branin' optimize --functions brainin
refuses 'dimension 2' optimize --functions branin:3
refuses '--seeds' optimize --seeds 0
refuses 'whole number' suggest --sizes 10,x
refuses 'what'

# optimize: a row for each function, the others' figures only where budgets agree
"$bench" optimize --functions branin,sphere:1 --evaluations 12 --init 5 --seeds 3 --jobs 2 \
    --output "$folder/table.csv" --runs "$folder/runs.csv" >"$folder/out"
grep -q '^branin  *2  *12  *3 ' "$folder/out" || fail 'no row for branin'
grep -q '^sphere  *1  *12  *3 ' "$folder/out" || fail 'no row for sphere'
! grep -q BoTorch "$folder/out" || fail 'others beside another budget'
[ "$(wc -l <"$folder/table.csv")" -eq 3 ] || fail 'table.csv has not 3 lines'
[ "$(wc -l <"$folder/runs.csv")" -eq 73 ] || fail 'runs.csv has not 73 lines'
head -1 "$folder/table.csv" | grep -q '^function,dim,evaluations,seeds,median,lower,upper,' ||
    fail 'header of table.csv'
head -1 "$folder/runs.csv" | grep -q '^function,dim,seed,evaluation,regret$' ||
    fail 'header of runs.csv'

# The median in the table is that of the last regrets of the runs.
expected=$(awk -F, '$1 == "branin" && $4 == 12 { print $5 }' "$folder/runs.csv" | sort -g |
    sed -n 2p)
median=$(awk -F, '$1 == "branin" { print $5 }' "$folder/table.csv")
[ "$median" = "$expected" ] || fail "median $median, expected $expected"

# The same runs again, one at a time.
"$bench" optimize --functions branin,sphere:1 --evaluations 12 --init 5 --seeds 3 --jobs 1 \
    --runs "$folder/again.csv" >/dev/null
cmp "$folder/runs.csv" "$folder/again.csv"

# matmul: a row for each product and number of rows
"$bench" matmul --rows 20,50 >"$folder/out"
awk '$2 == 50 && $3 > 0 { n++ } END { exit n != 3 }' "$folder/out" || fail 'matmul: not 3 rows of 50'
refuses 'whole number' matmul --rows 20,x
# predict: a row for each surrogate and size
"$bench" predict --surrogates gp --sizes 5,9 --seconds 0.001 --output "$folder/predict.csv" \
    >"$folder/out"
awk '$1 == "gp" && $2 == 9 && $3 == 1 && $6 > 0 { a = 1 } END { exit !a }' "$folder/out" ||
    fail "predict: $(cat "$folder/out")"
grep -q '^surrogate,n,components,fit_ms,screen_us,climb_us' "$folder/predict.csv" ||
    fail "predict: no header"
refuses 'no surrogate' predict --surrogates gp,none

# suggest: n and milliseconds first
"$bench" suggest --sizes 10,15 --repeats 1 --output "$folder/times.csv" >"$folder/out"
awk 'NR == 2 && $1 == 10 && $2 > 0 { a = 1 } NR == 3 && $1 == 15 && $2 > 0 { b = 1 }
    END { exit !(a && b) }' "$folder/out" || fail "suggest: $(cat "$folder/out")"
grep -q 'whole run' "$folder/out" || fail 'no whole run'
[ "$(wc -l <"$folder/times.csv")" -eq 3 ] || fail 'times.csv has not 3 lines'
