#!/bin/sh
# bo-train-ranks.sh - processes under mpirun train as one does, stop together and go on.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
train="$top_builddir/bo-train"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail()
{
    echo "$*" >&2
    [ -f said ] && cat said >&2
    exit 1
}

# Small, since sanitizers make products fifty times slower; test-train has larger teams.
options='--model cnp --batch 4 --lanes 4 --lr 1e-3 --warmup 3 --ema 0.9 --clip 1 --score-batches 1
    --threads 1'

if ! grep -q '^#define HAVE_MPI 1' "$top_builddir/config.h"; then
    "$train" --mpi --model cnp --steps 1 >said 2>&1 && fail '--mpi without MPI is taken'
    grep -q 'built without MPI' said || fail 'no word about MPI'
    exit 0
fi
if ! command -v mpirun >/dev/null; then
    echo 'no mpirun: not tested'
    exit 77
fi
# OpenMPI wants to be told that this is meant; leaks of its own are not our concern.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0

# shellcheck disable=SC2086
ranks() # RANKS OPTION…
{
    count=$1
    shift
    ${become-} mpirun --oversubscribe -n "$count" "$train" --mpi $options "$@"
}

# One, two and four processes: the same weights and the same log; three: nearly so.
# shellcheck disable=SC2086
"$train" $options --optimizer muon --steps 6 --quiet --log one.csv --output one 2>said || fail 'one process'
for count in 2 4; do
    ranks $count --optimizer muon --steps 6 --output many --log many.csv >said 2>&1 || fail "$count processes"
    cmp one many || fail "$count processes end elsewhere"
    cut -d, -f1-6 one.csv >a
    cut -d, -f1-6 many.csv >b
    cmp a b || fail "the log of $count processes differs"
    [ "$(grep -c 'step 6/6' said)" = 1 ] || fail 'not one process alone speaks'
    [ ! -e many.checkpoint ] || fail 'a checkpoint is left behind'
done
ranks 3 --optimizer muon --steps 6 --output three --log three.csv >said 2>&1 || fail '3 processes'
tail -n 1 one.csv | cut -d, -f4 >a
tail -n 1 three.csv | cut -d, -f4 >b
paste a b | awk '{ d = $1 - $2; exit !(d < 1e-3 && d > -1e-3) }' || fail '3 processes differ'

# Stopped by a signal: one checkpoint, from which two processes, or one, go on.
# shellcheck disable=SC2086
"$train" $options --steps 100 --quiet --output whole 2>said || fail 'one process'
become=exec ranks 2 --steps 100 --checkpoint-every 4 --output stopped >said 2>&1 &
while ! grep -aq '"step":"[1-9]' stopped.checkpoint 2>/dev/null && kill -0 $! 2>/dev/null; do
    sleep 0.02
done
kill -INT $! 2>/dev/null || true
status=0
wait $! || status=$?
if [ -e stopped.checkpoint ]; then # else it had come to its end before
    [ $status -ne 0 ] || fail 'a stopped run looks like a finished one'
    grep -q 'stopped after step' said || fail 'does not say where it stopped'
    cp stopped.checkpoint again.checkpoint
    # shellcheck disable=SC2086
    "$train" $options --steps 100 --quiet --resume --output again 2>said || fail 'one goes on'
    cmp whole again || fail 'gone on with one process, it ends elsewhere'
fi
ranks 2 --steps 100 --resume --output stopped >said 2>&1 || fail 'two go on'
cmp whole stopped || fail 'gone on with two processes, it ends elsewhere'
ranks 2 --steps 100 --resume --output stopped >said 2>&1 || fail 'a finished run'
grep -q 'is finished' said || fail 'a finished run begins anew'

# What must be refused: more processes than lanes, files that cannot be written, no --mpi.
ranks 2 --lanes 1 --steps 1 --output few >said 2>&1 && fail 'two processes on one lane'
grep -q 'lanes' said || fail 'no word about lanes'
ranks 2 --steps 1 --output nowhere/few >said 2>&1 && fail 'a folder that is not there'
grep -q 'nowhere' said || fail 'no word about the folder'
mpirun --oversubscribe -n 2 "$train" --steps 1 --model cnp >said 2>&1 && fail 'no --mpi'
grep -q 'mpi makes' said || fail 'no word about --mpi'
exit 0
