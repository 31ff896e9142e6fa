#!/bin/sh
# Compiles the programs to bytecode and writes each as text, NAME.hex, beside its source.
#
#     ./build.sh [COMPILER...]      default: clang -target bpfel
#     ./build.sh zig cc -target bpfel-freestanding
#     PROGRAMS="sieve.c held-out/lz.c" ./build.sh ...      only some of them
#
# The machine runs the .hex files as they are shipped; this is needed after a change only.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- clang -target bpfel
flags="-mcpu=v3 -O2 -ffreestanding -fno-unroll-loops -fno-jump-tables -fno-sanitize=all"
version=$("$@" --version | head -n 1 | sed 's/ (.*//')
object=$(mktemp)
code=$(mktemp)
trap 'rm -f "$object" "$code"' EXIT

for source in ${PROGRAMS:-*.c held-out/*.c}; do
    [ "$source" != native.c ] || continue
    name=${source%.c}
    "$@" $flags -c "$source" -o "$object"
    objcopy -I elf64-little -O binary --only-section=.text "$object" "$code"
    {
        echo "# source:   ${source##*/}"
        echo "# compiler: $version"
        echo "# flags:    -target bpfel $flags"
        od -An -v -tx1 -w8 "$code" | sed 's/^ //'
    } >"$name.hex"
done
