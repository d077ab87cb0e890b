#!/bin/sh
# results.sh - reruns the experiments of doc/RESULTS.md and writes its tables.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Usage: benchmarks/results.sh FOLDER [DOCUMENT]
#
# Four experiments go to FOLDER, a folder each with curves and index.html: both protocols, each with
# the sharp weights (all surrogates) and with the paper's (the neural ones, gp and random).  When it
# is stopped, the same command goes on.  All tables come out in FOLDER/tables.md; with DOCUMENT,
# each table there between the lines <!-- begin NAME --> and <!-- end NAME --> is replaced, and the
# curves are copied beside it as regret-NAME.png.
#
# Environment: BO_BENCH, the command (default: bo-bench); FUNCTIONS (100), ITERATIONS (50), SETTINGS,
# JOBS, SURROGATES_SHARP and SURROGATES_PAPER to try it with less; SPEED=no leaves out the times
# beside PyTorch.
set -eu
[ $# -ge 1 ] || {
    sed -n '6s/^# //p' "$0" >&2
    exit 2
}
folder=$1
document=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
bench=${BO_BENCH:-bo-bench}
settings=${SETTINGS:-rbf,tnoise,matern52,periodic}
sharp=${SURROGATES_SHARP:-gp,cnp,np,bnp,canp,anp,banp,cnp+de,canp+de,gp-oracle,random}
paper=${SURROGATES_PAPER:-gp,cnp@paper,np@paper,bnp@paper,canp@paper,anp@paper,banp@paper,\
cnp+de@paper,canp+de@paper,random}
mkdir -p "$folder"

run() # NAME PROTOCOL SURROGATES
{
    echo "== $1" >&2
    # shellcheck disable=SC2086
    "$bench" regret --protocol "$2" --surrogates "$3" --settings "$settings" \
        --functions "${FUNCTIONS:-100}" --iterations "${ITERATIONS:-50}" --seed 1 \
        ${JOBS:+--jobs "$JOBS"} --explain --output "$folder/$1" >"$folder/$1.txt" ||
        echo "$1: not all runs came to their end" >&2
}

# One table a setting: regrets, tests, habits and times of an experiment side by side.
tables() # NAME
{
    for setting in $(echo "$settings" | tr , ' '); do
        printf '**%s**\n\n' "$setting"
        printf '| surrogate | simple, 10 | simple, end | median [quartiles] | cumulative '
        printf '| normalised: simple | cumulative | p (Holm) | effect | repeats | at incumbent '
        printf '| sd, last ten | ending > 0.1 | ms |\n'
        printf '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n'
        awk -F, -v setting="$setting" -f "$here/results.awk" "$folder/$1/summary.csv" \
            "$folder/$1/tests.csv" "$folder/$1/habits.csv" "$folder/$1/times.csv"
        echo
    done
}

# Puts a file between the two lines of its name in the document.
replace() # NAME FILE
{
    grep -q "<!-- begin $1 -->" "$document" || return 0
    awk -v name="$1" -v file="$2" '
        $0 == "<!-- end " name " -->" { skip = 0 }
        !skip { print }
        $0 == "<!-- begin " name " -->" {
            skip = 1
            while ((getline line < file) > 0)
                print line
        }' "$document" >"$document.new"
    mv "$document.new" "$document"
}

run paper-sharp paper "$sharp"
run paper-paper paper "$paper"
run plain-sharp plain "$sharp"
run plain-paper plain "$paper"
: >"$folder/tables.md"
for name in paper-sharp paper-paper plain-sharp plain-paper; do
    tables $name >"$folder/$name.md"
    { printf '## %s\n\n' $name; cat "$folder/$name.md"; } >>"$folder/tables.md"
    [ -z "$document" ] || replace $name "$folder/$name.md"
    if [ -n "$document" ] && [ -s "$folder/$name/curves.png" ]; then
        cp "$folder/$name/curves.png" "$(dirname "$document")/regret-$name.png"
    fi
done
if [ "${SPEED:-yes}" = yes ]; then
    BO_BENCH=$bench "$here/suggest-torch.sh" >"$folder/speed.md"
    cat "$folder/speed.md" >>"$folder/tables.md"
    [ -z "$document" ] || replace speed "$folder/speed.md"
fi
echo "$folder/tables.md"
