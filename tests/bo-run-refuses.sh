#!/bin/sh
# bo-run-refuses.sh - wrong command lines: status 2, a message that names what is wrong, nothing done.
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

# refuses PART OPTION…: status 2, and the complaint contains PART.
refuses()
{
    part=$1
    shift
    status=0
    "$run" "$@" >said 2>complaint || status=$?
    [ $status -eq 2 ] || fail "status $status, not 2: bo-run $*"
    grep -Fq -- "$part" complaint || fail "no '$part' in: $(cat complaint)"
    [ -s said ] && fail "it did something: bo-run $*"
    return 0
}
refuses 'what shall be optimised'
refuses "unknown option '--objectiv'; did you mean '--objective'?" --objectiv branin
refuses "there is no objective 'brannin'; did you mean 'branin'?" --objective brannin
refuses "'zzzzzz'" --objective zzzzzz
refuses 'nosuch' --objective branin --surrogate nosuch
refuses 'gp' --objective branin --surrogate nosuch
refuses 'nosuch' --objective branin --acquisition nosuch
refuses 'cubic' --objective branin --kernel cubic
refuses "option '--dim': '0'" --objective ackley --dim 0
refuses 'branin' --objective branin --dim 3
refuses "option '--iterations': '-1'" --objective branin --iterations -1
refuses "option '--iterations': '1.5'" --objective branin --iterations 1.5
refuses "option '--noise': '-0.1'" --objective branin --noise -0.1
refuses "option '--noise': 'much'" --objective branin --noise much
refuses "option '--batch': '0'" --objective branin --batch 0
refuses "option '--seconds': '0'" --objective branin --seconds 0
refuses "option '--target': 'low'" --objective branin --target low
refuses "'--seed'" --objective branin --seed -3
refuses "'stray'" --objective branin stray
refuses "'--quiet' takes no value" --objective branin --quiet=yes
refuses "'--objective' needs a value" --objective
refuses "'a.jpg' must end with .png" --objective branin --plot a.jpg
refuses "'a.txt' must end with .csv or .jsonl" --objective branin --output a.txt
refuses "'nowhere/a.csv'" --objective branin --output nowhere/a.csv
refuses "'nowhere/a.png'" --objective branin --plot nowhere/a.png
refuses 'was not drawn from a Gaussian process' --objective branin --oracle
refuses 'exclude each other' --objective branin --command true
refuses "at least one '--parameter'" --command true
refuses "'--parameter' goes with '--command'" --objective branin --parameter x=0:1
refuses "'--timeout' goes with '--command'" --objective branin --timeout 3
refuses "go with '--objective'" --command true --parameter x=0:1 --dim 2
refuses "{z} names no parameter" --command 'echo {z}' --parameter x=0:1
refuses 'unfinished' --command "echo '{x}" --parameter x=0:1
refuses "'x=real:1'" --command 'echo {x}' --parameter x=real:1
refuses "'x=real:1:0'" --command 'echo {x}' --parameter x=real:1:0
refuses "x" --command 'echo {x}' --parameter x=0:1 --parameter x=0:2
# A file is refused before anything is evaluated, and nothing else appears.
ls -A >left
[ "$(sort left | tr '\n' ' ')" = 'complaint left said ' ] || fail "files were left: $(cat left)"
