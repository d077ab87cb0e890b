#!/bin/sh
# bo-run-terminal.sh - on a terminal: a table of improvements, a bar that is wiped off at the end.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
command -v script >/dev/null || { echo "no script(1) to make a terminal"; exit 77; }
script -qec true /dev/null </dev/null >/dev/null 2>&1 || { echo "no terminals here"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

fail()
{
    echo "$*"
    cat -v said
    exit 1
}

TERM=xterm LC_ALL=C.UTF-8 script -qec \
    "stty cols 80; '$top_builddir/bo-run' --objective branin --iterations 20" record \
    </dev/null >said 2>&1 || fail "it failed on a terminal"
grep -q '^Minimising branin, 2 dimensions; surrogate gp, acquisition logei' said || fail "no headline"
grep -Eq '^ +trial +best +regret +x1 +x2' said || fail "no table"
grep -q '^trial=' said && fail "plain lines on a terminal"
grep -q '/26  .*best .*regret' said || fail "no bar"
# What stands on the screen at the end: only the text behind the last wipe of each line.
wipe=$(printf '\033\\[K')
sed "s/.*$wipe//; s/$(printf '\r')//g" said >screen
grep -q '/26' screen && fail "the bar was left on the screen"
# Improvements only: best falls from row to row.
awk '/^ +[0-9]+ +[-0-9.e+]+ +[-0-9.e+]+ / { if (n++ && $2 >= last) exit 1; last = $2 }
    END { exit n < 2 }' screen || fail "the table is not one of improvements"
grep -q '^ended  *the number of evaluations' screen || fail "no summary"
