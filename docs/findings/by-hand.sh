#!/bin/sh
# The findings once more without whyfast: sh by-hand.sh lua|lua-clang|neko|mruby|micropython|wren|gcc-16
# Works in the current folder, on Debian bookworm. apt-get source needs a deb-src line of the release that is named.
set -eu

# Indirect jumps of a function: jumps FUNCTION OBJECT…
jumps() {
    function=$1
    shift
    for object; do
        objdump -d --disassemble="$function" "$object" | grep -cE 'jmp +\*' || true
    done
}

lua() { # or lua-5.4.7.tar.gz of lua.org
    apt-get source --download-only lua5.4=5.4.7-1 # of trixie
    tar xf lua5.4_5.4.7.orig.tar.gz && cd lua-5.4.7/src
    gcc -O2 -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -c lvm.c -o plain.o
    gcc -O2 -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -fno-crossjumping -c lvm.c -o uncrossed.o
    jumps luaV_execute plain.o uncrossed.o
}

lua_clang() { # in lua-5.4.7/src; clang 18.1.6
    python3 -m venv clang && clang/bin/pip install ziglang==0.13.0
    cc="clang/bin/python -m ziglang cc -target x86_64-linux-gnu -fomit-frame-pointer"
    lua="-O2 -std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_LINUX"
    $cc $lua -c lvm.c -o plain.o
    $cc $lua -mllvm -sink-common-insts=false -c lvm.c -o unsunk.o
    jumps luaV_execute plain.o unsunk.o
}

neko() {
    apt-get source --download-only neko=2.4.1-1 # of sid
    tar xf neko_2.4.1.orig.tar.gz && cd neko-2-4-1/vm
    sed -e '/^#cmakedefine/d' -e 's/@NEKO_[A-Z_]*@/0/g' neko.h.in > neko.h
    gcc -O2 -D_GNU_SOURCE -I. -c interp.c -o plain.o
    gcc -O2 -D_GNU_SOURCE -I. -fno-tree-slp-vectorize -c interp.c -o scalar.o
    jumps neko_interp_loop plain.o scalar.o
}

mruby() {
    apt-get source --download-only mruby=3.3.0-1 # of trixie
    tar xf mruby_3.3.0.orig.tar.gz && cd mruby-3.3.0
    gcc -O2 -DMRB_NO_PRESYM -Iinclude -c src/vm.c -o plain.o
    gcc -O2 -DMRB_NO_PRESYM -Iinclude -fno-crossjumping -c src/vm.c -o uncrossed.o
    jumps mrb_vm_exec plain.o uncrossed.o
}

micropython() {
    apt-get source --download-only micropython=1.26.1+ds-1 # of sid
    tar xf micropython_1.26.1+ds.orig.tar.xz && cd micropython-1.26.1/ports/unix
    no="FROZEN_MANIFEST= MICROPY_PY_BTREE=0 MICROPY_PY_FFI=0 MICROPY_PY_SSL=0"
    no="$no MICROPY_VFS_FAT=0 MICROPY_VFS_LFS1=0 MICROPY_VFS_LFS2=0"
    make $no build-standard/py/vm.o && cp build-standard/py/vm.o plain.o
    make $no CSUPEROPT="-O3 -fno-crossjumping" -W ../../py/vm.c build-standard/py/vm.o
    cp build-standard/py/vm.o uncrossed.o
    jumps mp_execute_bytecode plain.o uncrossed.o
}

wren() {
    git clone -b 0.4.0 https://github.com/wren-lang/wren && cd wren
    I="-std=gnu99 -Isrc/include -Isrc/vm -Isrc/optional"
    gcc -O2 $I -c src/vm/wren_vm.c -o plain.o
    gcc -O2 $I -fno-crossjumping -c src/vm/wren_vm.c -o uncrossed.o
    jumps runInterpreter plain.o uncrossed.o
}

gcc_16() { # the figures were trained with studies/atlas/wren/calls.wren and arrays.wren
    git clone -b 0.4.0 https://github.com/wren-lang/wren && cd wren
    I="-std=gnu99 -Isrc/include -Isrc/vm -Isrc/optional -Itest"
    gcc-16 -O2 $I -c src/vm/*.c src/optional/*.c test/*.c test/api/*.c
    gcc-16 -O3 $I -fprofile-generate -c src/vm/wren_vm.c && gcc-16 -fprofile-generate -o wren *.o -lm
    echo 'class F { static f(n) { n < 2 ? n : f(n - 1) + f(n - 2) } }
    System.print(F.f(24))' > fib.wren && ./wren fib.wren
    gcc-16 -O3 $I -fprofile-use -c src/vm/wren_vm.c
    jumps runInterpreter wren_vm.o
}

case ${1:-} in
lua | neko | mruby | micropython | wren) "$1" ;;
lua-clang) lua_clang ;;
gcc-16) gcc_16 ;;
*) sed -n '2,3s/^# //p' "$0" && exit 2 ;;
esac
