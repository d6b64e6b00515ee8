#!/bin/sh
# Shards by GNU parallel: gnu_parallel.sh PHOTOS SHARDS AT_A_TIME. Over ssh, add --sshloginfile NODES --workdir . to its options.
# Start it again after any interruption: shards that are done take a moment.
set -u
photos=$1 shards=$2 at_a_time=$3
seq 0 $((shards - 1)) |
  parallel -j "$at_a_time" -I@ fovea people detect "$photos" --csv all.csv --threads 1 --quiet --resume --shard "@/$shards" >shards.log
exec fovea merge people-detect-*-of-"$shards".manifest
