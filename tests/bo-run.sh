#!/bin/sh
# bo-run.sh - bo-run finds minima, says so, and does the same again for the same seed.
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

# A newcomer's first command.
"$run" --surrogate gp --objective branin >said
[ "$(grep -c '^trial=' said)" -eq 36 ] || fail "expected 6 initial and 30 further trials"
grep -Eq '^trial=1 y=[-0-9.e+]+ best=[-0-9.e+]+ regret=[-0-9.e+]+ x1=[-0-9.e+]+ x2=[-0-9.e+]+$' said ||
    fail "the plain lines have changed"
for word in 'best value' regret 'best point' evaluations time ended; do
    grep -q "^$word  *[^ ]" said || fail "the summary lacks '$word'"
done
grep -q '^ended .*the number of evaluations was reached$' said || fail "why did it end?"
# The 30 iterations must earn their keep: random search has a median regret of about 1.5 there.
awk '$1 == "regret" { exit !($2 >= 0 && $2 < 0.2) }' said || fail "the regret is too large"

"$run" --list >list
for word in gp logei ei branin hartmann6 gp_rbf; do
    grep -q "^  $word " list || fail "--list lacks $word"
done

# --quiet leaves the summary only.
"$run" --objective forrester --iterations 3 --quiet >said
[ "$(head -n 1 said | cut -c 1-10)" = 'best value' ] || fail "--quiet is not quiet"

# Reasons to end.
"$run" --objective branin --target 5 --iterations 50 | grep -q '^ended .*target' ||
    fail "no end at the target"
"$run" --objective branin --patience 3 --iterations 90 | grep -q '^ended .*no improvement' ||
    fail "no end without improvement"
"$run" --objective branin --seconds 1e-9 >said 2>&1 && fail "a run without evaluations succeeded"
grep -q 'no evaluation succeeded' said || fail "nothing was said about it"

# init, iterations and batch count exactly; the others are accepted and matter.
"$run" --objective hartmann3 --init 5 --iterations 7 --batch 4 --starts 4 --kernel rbf \
    --acquisition ei --threads 2 | grep -q '^evaluations *12 (5 initial, 7 suggested; 0 failed)$' ||
    fail "wrong number of evaluations"
"$run" --objective gp_matern52 --dim 2 --objective-seed 4 --oracle --iterations 3 --noise 0.1 \
    --known-noise 0.1 >said
grep -Eq '^best mean .* ± .*, regret [-0-9.e]+$' said || fail "no best mean for a noisy objective"
"$run" --objective sphere --dim 1 --maximize --iterations 3 >said
grep -q regret said && fail "there is no regret when a function with a known minimum is maximised"

# The same seed gives the same run, whatever the number of threads; another one does not.
for threads in 1 2; do
    "$run" --objective hartmann3 --noise 0.1 --seed 5 --iterations 12 --threads $threads --quiet \
        --output t$threads.csv >said
    cut -d , -f 1-10 t$threads.csv >t$threads
done
cmp t1 t2 || fail "the number of threads changes the run"
"$run" --objective hartmann3 --noise 0.1 --seed 6 --iterations 12 --quiet --output t3.csv >said
cut -d , -f 1-10 t3.csv | cmp -s - t1 && fail "the seed has no effect"
exit 0
