#!/bin/sh
# Runs shards by GNU parallel, then merges them: gnu_parallel.sh PHOTOS SHARDS AT_A_TIME. To run them on other machines by ssh, add
# --sshloginfile NODES --workdir . to the options of parallel below. After an interruption, run this script again: inputs that have a
# result are only checked.
set -u
photos=$1 shards=$2 at_a_time=$3
seq 0 $((shards - 1)) |
  parallel -q -j "$at_a_time" fovea people detect "$photos" --csv all.csv --threads 1 --quiet --resume --shard "{}/$shards" >shards.log
exec fovea merge people-detect-*-of-"$shards".manifest
