#!/bin/sh
# Fuzzes one form of the machine, in-process, under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#     fuzz/fuzz.sh FORM SECONDS [CLANG]     FORM: SWITCH, GOTO, TAIL or PINNED
#
# CLANG (default: clang) needs its libFuzzer; PINNED needs a clang of at least version 19. Starts
# from corpus/ (hexadecimal text) and from what earlier runs left in $FUZZ_WORK (default:
# /tmp/ebpf-vm-fuzz), where new inputs and crashes go too. A crash ends it with a non-zero status.
set -eu
form=${1:?FORM is missing: SWITCH, GOTO, TAIL or PINNED}
seconds=${2:?SECONDS are missing}
clang=${3:-clang}
here=$(cd "$(dirname "$0")" && pwd)
work=${FUZZ_WORK:-/tmp/ebpf-vm-fuzz}
mkdir -p "$work/seeds" "$work/found-$form"

for seed in "$here"/corpus/*.hex; do
    xxd -r -p "$seed" >"$work/seeds/$(basename "$seed" .hex)"
done

set -- "$here/target.c"
for source in "$here"/../*.c; do
    case $source in */main.c | */options.c | */plugin.c) ;; *) set -- "$@" "$source" ;; esac
done
"$clang" -std=c11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
    -D"VM_DISPATCH_$form" -I"$here/.." -o "$work/fuzz-$form" "$@"
exec "$work/fuzz-$form" -max_total_time="$seconds" -max_len=512 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$work/crash-$form-" "$work/found-$form" "$work/seeds"
