#!/bin/sh
# bo-run-command.sh - optimising programs: arguments, environment, failures, batches.
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

cat >sim <<'END'
#!/bin/sh
# (log10 rate + 3)^2 + (depth - 4)^2 + 1 for kind b; fails where the switch is on
[ "$4" = 0 ] || { echo "the switch is on" >&2; exit 3; }
awk -v rate="$1" -v depth="$2" -v kind="$3" 'BEGIN {
    print "working"
    print (log(rate) / log(10) + 3) ^ 2 + (depth - 4) ^ 2 + (kind == "b")
}'
END
chmod +x sim
"$run" --command './sim {rate} {depth} {kind} {switch}' --parameter rate=log:1e-5:1e-1 \
    --parameter depth=int:1:8 --parameter kind=cat:a,b,c --parameter switch=bool \
    --iterations 30 --output a.csv >said 2>errors
grep -q 'trial [0-9]* failed: exit status 3: the switch is on' errors || fail "$(cat errors)"
grep -q '^trial=[0-9]* y=failed' said || fail "no failed trial was shown"
grep -Eq '^ +depth = 4$' said || fail "depth is not found: $(tail -n 12 said)"
grep -Eq '^ +switch = 0$' said || fail "the switch is on at the best point"
awk '$1 == "best" && $2 == "value" { exit !($3 < 0.3) }' said || fail "$(tail -n 12 said)"
awk -F , 'NR > 1 && ($5 == 1) != ($6 == "") { exit 1 }' a.csv || fail "failed trials in the file"
# It learns to keep away: fewer than a third of the later trials fail.
awk -F , 'NR > 16 { n++; failed += $6 == "" } END { exit !(n && failed < n / 3) }' a.csv ||
    fail "it keeps trying where things fail: $(cut -d , -f 1-6 a.csv)"

# Values in the environment when there are no placeholders; maximised; four at a time.
"$run" --command "sh -c 'awk \"BEGIN {{ print -(\$BO_x - 2) ^ 2 }\"'" --parameter x=0:10 --batch 4 \
    --maximize --iterations 12 >said
awk '$1 == "best" && $2 == "value" { exit !($3 > -0.1) }' said || fail "$(tail -n 5 said)"

# A timeout is a failure; when all fail there is no best, and the status is 1.
status=0
"$run" --command 'sleep 30' --parameter x=0:1 --timeout 0.05 --init 2 --iterations 1 >said 2>errors ||
    status=$?
[ $status -eq 1 ] || fail "status $status when all trials fail"
grep -q 'took longer than 0.05 s' errors || fail "$(cat errors)"
grep -q 'no evaluation succeeded' errors || fail "$(cat errors)"

# A program that is not there is an error, not three failed trials.
status=0
"$run" --command './nothing {x}' --parameter x=0:1 >said 2>errors || status=$?
[ $status -eq 1 ] || fail "status $status for a program that is not there"
grep -q "cannot run './nothing'" errors || fail "$(cat errors)"

# A finite space that is used up ends the run.
"$run" --command 'echo {k}' --parameter k=int:1:5 --iterations 50 --batch 2 >said
grep -q '^evaluations *5 ' said || fail "$(tail -n 5 said)"
grep -q '^ended *every point' said || fail "$(tail -n 3 said)"
exit 0
