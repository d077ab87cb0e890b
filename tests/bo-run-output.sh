#!/bin/sh
# bo-run-output.sh - every trial in a file, at once and for good: columns, JSON, signals, full disks.
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

columns=trial,x1,x2,y,best,regret,mean,sd,acquisition,fit_ms,suggest_ms,eval_ms
"$run" --objective branin --iterations 5 --quiet --output a.csv >said
[ "$(head -n 1 a.csv)" = $columns ] || fail "columns: $(head -n 1 a.csv)"
awk -F , 'NR > 1 && (NF != 12 || $1 != NR - 1 || $4 == "" || $5 == "" || $6 < 0) { exit 1 }
    NR > 7 && ($7 == "" || $8 <= 0 || $9 == "") { exit 1 }
    END { exit NR != 12 }' a.csv || fail "rows: $(cat a.csv)"
# best is the least y so far.
awk -F , 'NR > 1 { if (NR == 2 || $4 < best) best = $4; if ($5 != best) exit 1 }' a.csv ||
    fail "best is not the least so far"

# A second run keeps the first file as a.csv~.
cp a.csv first
"$run" --objective branin --iterations 2 --quiet --output a.csv >said
cmp first a.csv~ || fail "the previous file was not kept"
[ "$(wc -l <a.csv)" -eq 9 ] || fail "the new file is not new"

# JSON lines: objects with the same fields; names and labels that need quotes.
"$run" --command 'echo 1' --parameter 'a"b=0:1' --parameter 'kind=cat:pl\ain,sa"y' --init 4 \
    --iterations 2 --quiet --output b.jsonl >said
if command -v python3 >/dev/null; then
    python3 -c '
import json
rows = [json.loads(line) for line in open("b.jsonl")]
assert len(rows) == 6
assert list(rows[0]) == ["trial", "a\"b", "kind", "y", "best", "regret", "mean", "sd",
                         "acquisition", "fit_ms", "suggest_ms", "eval_ms"]
assert all(row["kind"] in ("pl\\ain", "sa\"y") and row["regret"] is None for row in rows)
' || fail "not JSON: $(cat b.jsonl)"
fi
number='-?[0-9][-0-9.e+]*'
maybe="($number|null)"
{
    printf '^\\{"trial": [0-9]+, "a\\\\"b": %s, "kind": "(pl\\\\\\\\ain|sa\\\\"y)", ' "$number"
    printf '"y": 1, "best": 1, "regret": null, "mean": %s, "sd": %s, ' "$maybe" "$maybe"
    printf '"acquisition": %s, "fit_ms": %s, "suggest_ms": %s, ' "$maybe" "$number" "$number"
    printf '"eval_ms": %s\\}$\n' "$number"
} >pattern
[ "$(grep -Ecf pattern b.jsonl)" -eq 6 ] || fail "not as expected: $(cat pattern b.jsonl)"

# waits until FILE has more than N lines
await()
{
    turns=0
    until [ -e "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]; do
        turns=$((turns + 1))
        [ $turns -lt 600 ] || fail "nothing was written to $1"
        sleep 0.1
    done
}
slow='sh -c "sleep 0.05; echo $1" sh {x}'

# Killed without warning: every line that is there is whole.
"$run" --command "$slow" --parameter x=0:1 --iterations 1000 --output k.csv >said 2>&1 &
pid=$!
await k.csv 3
kill -9 $pid
wait $pid 2>/dev/null || true
awk -F , 'NF != 11 || (NR > 1 && $1 != NR - 1) { exit 1 }' k.csv || fail "torn: $(cat k.csv)"
[ "$(tail -c 1 k.csv | wc -l)" -eq 1 ] || fail "the last line is not whole"
# What was printed before it was killed is in the file.
[ "$(grep -c '^trial=' said)" -le "$(($(wc -l <k.csv) - 1))" ] || fail "lines were lost"

# Interrupted: ends in good order with all it has, status 130 (143 for SIGTERM).
for signal in 2 15; do
    "$run" --command "$slow" --parameter x=0:1 --iterations 1000 --output i.csv >said 2>errors &
    pid=$!
    await i.csv 3
    kill -$signal $pid
    status=0
    wait $pid || status=$?
    [ $status -eq $((128 + signal)) ] || fail "status $status after signal $signal"
    grep -q '^ended *interrupted$' said || fail "no summary: $(cat said errors)"
    [ "$(grep -c '^trial=' said)" -eq "$(($(wc -l <i.csv) - 1))" ] || fail "the file is not complete"
    rm i.csv
done

# A full disk: the message names the file, status 1, whole lines stay.
if (ulimit -f 1 && true) 2>/dev/null; then
    status=0
    (
        trap '' XFSZ
        ulimit -f 1
        exec "$run" --objective branin --iterations 60 --quiet --output f.csv
    ) >said 2>errors || status=$?
    [ $status -eq 1 ] || fail "status $status on a full disk"
    grep -q "f.csv" errors || fail "the file is not named: $(cat errors)"
    awk -F , 'NF != 12 { exit 1 }' f.csv || fail "torn: $(tail -n 1 f.csv)"
fi
exit 0
