"""The packages that ``python -m bench.shipped`` looks at, with the functions that interpret."""

from __future__ import annotations

#: Where symbols are: in a static archive of a package of Debian, or in a library or program of a
#: wheel (``pypi:NAME==VERSION``); the file; and the functions that interpret: that of the language,
#: or beside it that of regular expressions. The rules were made with these. A package without
#: symbols is ``NAME@SUITE=VERSION``, with the addresses of the functions in that version.
WITH_SYMBOLS = (
    ("liblua5.1-0-dev", "liblua5.1.a", "luaV_execute"),
    ("liblua5.2-dev", "liblua5.2.a", "luaV_execute"),
    ("liblua5.3-dev", "liblua5.3.a", "luaV_execute"),
    ("liblua5.4-dev", "liblua5.4.a", "luaV_execute"),
    ("liblua5.5-dev", "liblua5.5.a", "luaV_execute"),
    ("liblua5.1-0-dev", "liblua5.1-c++.a", "_Z12luaV_execute*"),
    ("liblua5.2-dev", "liblua5.2-c++.a", "_Z12luaV_execute*"),
    ("liblua5.3-dev", "liblua5.3-c++.a", "_Z12luaV_execute*"),
    ("liblua5.4-dev", "liblua5.4-c++.a", "_Z12luaV_execute*"),
    ("libmruby-dev", "libmruby.a", "mrb_vm_exec"),
    ("libmujs-dev", "libmujs.a", "jsR_run"),
    ("libpython3.11-dev", "libpython3.11.a", "_PyEval_EvalFrameDefault"),
    ("libpython3.13-dev", "libpython3.13.a", "_PyEval_EvalFrameDefault"),
    ("libpython3.14-dev", "libpython3.14.a", "_PyEval_EvalFrameDefault"),
    ("libperl-dev", "libperl.a", "S_regmatch"),
    ("libpcre2-dev", "libpcre2-8.a", "match"),
    ("libpcre2-dev", "libpcre2-16.a", "match"),
    ("libpcre2-dev", "libpcre2-32.a", "match"),
    ("libonig-dev", "libonig.a", "match_at"),
    ("libslang2-dev", "libslang.a", "inner_interp*"),
    ("libsqlite3-dev", "libsqlite3.a", "sqlite3VdbeExec"),
    ("tcl8.6-dev", "libtcl8.6.a", "TEBCresume"),
    ("tcl9.0-dev", "libtcl9.0.a", "TEBCresume"),
    ("gauche-dev", "libgauche-static-0.98.a", "run_loop"),
    ("libmonosgen-2.0-dev", "libmonosgen-2.0.a", "*interp_exec_method*"),
    ("clisp", "lisp.a", "interpret_bytecode_"),
    ("libsquirrel-dev", "libsquirrel.a", "_ZN4SQVM7Execute*"),
)
#: Held out once and seen since: languages, signatures, fonts, filters of packets, regular
#: expressions, DWARF; then programs that the survey lists, or that share code with one above.
SEEN = (
    ("libpari-dev", "libpari.a", "closure_eval"),
    ("librep-dev", "librep.a", "vm"),
    ("libyara-dev", "libyara.a", "yr_execute_code"),
    ("libfreetype-dev", "libfreetype.a", "TT_RunIns", "cf2_interpT2CharString"),
    ("libpcap0.8-dev", "libpcap.a", "pcap*_filter_with_aux_data"),
    ("libiberty-dev", "libiberty.a", "byte_re_match_2_internal"),
    ("libicu-dev", "libicui18n.a", "_ZN6icu_*12RegexMatcher*Match*At*"),
    ("libhyperscan-dev", "libhs_runtime.a", "*_roseRunProgram", "*_roseRunProgram_l"),
    ("libunwind-dev", "libunwind.a", "*_dwarf_eval_expr", "run_cfi_program"),
    ("libdw-dev", "libdw.a", "expr_eval"),
    ("guile-2.2-dev", "libguile-2.2.a", "vm_regular_engine", "vm_debug_engine"),
    ("libphp8.4-embed", "libphp8.4.so", "execute_ex"),
    ("libsqlcipher-dev", "libsqlcipher.a", "sqlite3VdbeExec"),
    ("libtexlua-dev", "libtexlua53.a", "luaV_execute"),
    ("moarvm", "libmoar.so", "MVM_interp_run"),
    ("ocaml", "libcamlrun.a", "caml_interprete"),
    ("pypi:dukpy==0.6.0", "_dukpy*.so", "JS_CallInternal", "lre_exec_backtrack"),
    ("pypi:perl5==5.41.13", "perl", "S_regmatch"),
    ("pypi:quickjs==1.19.4", "_quickjs*.so", "JS_CallInternal", "lre_exec_backtrack"),
)
_CORES = "pypi:stable-retro==1.0.1"
#: In order of their names, judged by their sources before the search saw them: every second one is
#: to develop on, the others were looked at once, when the rules were done. Expressions, functions
#: of PDF, DWARF, databases, regular expressions, and the processors of consoles.
FURTHER = (
    ("libfaust-static", "libfaustmachine.a", "_ZN14FBCInterpreter*executeBlock*"),
    ("libgcc-14-dev", "libgcc_eh.a", "execute_stack_op", "execute_cfa_program*"),
    ("libmuparser2v5", "libmuparser.so.2*", "_ZNK2mu10ParserBase*ParseCmdCode*"),
    ("libmupdf-dev", "libmupdf.a", "ps_run"),
    ("libpcre3-dev", "libpcre.a", "match", "internal_dfa_exec"),
    ("librrd-dev", "librrd.a", "rpn_calc"),
    ("openjdk-21-jre-zero", "libjvm.so", "_ZN19BytecodeInterpreter3run*"),
    ("pypi:jq==1.13.0", "jq*.so", "jq_next", "match_at"),
    ("pypi:numexpr==2.14.2", "interpreter*.so", "_Z*vm_engine_iter_*task*"),
    ("pypi:pgserver==0.1.4", "postgres", "ExecInterpExpr"),
    ("pypi:pyduktape2==0.5.0", "pyduktape2*.so", "duk__js_execute_bytecode_inner"),
    ("pypi:regex==2026.11.19", "_regex*.so", "basic_match"),
    (_CORES, "fceumm_libretro.so", "X6502_Run"),
    (_CORES, "gambatte_libretro.so", "_ZN8gambatte3CPU7processEm"),
    (_CORES, "genesis_plus_gx_libretro.so", "ssp1601_run", "z80_run"),
    (_CORES, "mednafen_pce_fast_libretro.so", "*HuC6280_Run*"),
    (_CORES, "mednafen_saturn_libretro.so", "_ZN4M68K3RunEi", "_ZN6SH7095*Run*"),
    (_CORES, "picodrive_libretro.so", "fm68k_emulate", "Cz80_Exec", "ssp1601_run", "sh2_execute*"),
    (_CORES, "snes9x_libretro.so", "_ZN4SNES3SMP5enterEv"),
    (_CORES, "stella_libretro.so", "_ZN5M65027execute*"),
    ("pypi:starlark-pyo3==2026.1.3", "starlark*.so", "*starlark*8bytecode*9run_block*"),
    ("pypi:z80==1.2.0", "_z80*.so", "*_machine*3run*", "*do_decode*"),
)
#: Judged by disassembly and source before the rules were last changed; no debug symbols of these
#: versions can be fetched. Forth, shells, documents, DWARF, games, and processors.
LATEST = (
    ("dosbox@trixie=0.74-3-5+b1", "bin/dosbox", "0x48930", "0x611c0", "0x77cd0"),
    ("fuse-emulator-sdl@trixie=1.6.0+dfsg1-2+b1", "fuse-sdl", "0x8fd20"),
    ("gambas3-runtime@trixie=3.20.2-1+deb13u1", "gbx3", "0x65390"),
    ("gdbserver@trixie=16.3-1", "bin/gdbserver", "0x146b0"),
    ("gforth@bookworm=0.7.3+dfsg-9+b3", "gforth-fast-0.7.3", "0x18e40", "0x1ce90"),
    ("glulxe@trixie=0.6.1-1", "games/glulxe", "0x6a83"),
    ("libclamav12@trixie=1.4.6+dfsg-1~deb13u1", "libclamav.so.12.0.3", "0x14f9c0"),
    ("libcoq-core-ocaml@trixie=8.20.1+dfsg-1+b1", "dllcoqrun_stubs.so", "0x3d40"),
    (
        "libgme0@trixie=0.6.3-7+b2",
        "libgme.so.0.6.3",
        "0x33c30",
        "0x239f0",
        "0x16b50",
        "0x207e0",
        "0x1b360",
        "0x29100",
        "0x30030",
    ),
    ("libgs10@trixie=10.05.1~dfsg-1+deb13u3", "libgs.so.10.05", "0x3fd5f0"),
    ("libpoppler147@trixie=25.03.0-5+deb13u4", "libpoppler.so.147.0.0", "0x15d460"),
    ("libunwind-19@trixie=1:19.1.7-3+b1", "libunwind.so.1.0", "0x51e0", "0x35f0"),
    ("nethack-console@trixie=3.6.7-1+b2", "nethack/nethack-console", "0x1a9aa0"),
    ("nickle@trixie=2.103", "bin/nickle", "0x2de00"),
    ("redis-tools@trixie=5:8.0.2-3+deb13u3", "redis-check-rdb", "0x1ff070"),
    ("simh@bookworm=3.8.1-6.1", "pdp11", "0x1f3c0"),
    ("simh@bookworm=3.8.1-6.1", "vax", "0x126b0"),
    ("spim@trixie=8.0+dfsg-7", "bin/spim", "0x150c0"),
    ("unar@trixie=1.10.8+ds1-9", "bin/unar", "0xe0ea0"),
    ("wabt@trixie=1.0.36+dfsg+~cs1.0.36-2", "wasm-interp", "0x477e0"),
    ("yabasic@trixie=1:2.91.1-1", "bin/yabasic", "0x7bc0"),
)
_GAMES = "gargoyle-free@trixie=2023.1+dfsg-4+b1"
#: Judged by symbols, disassembly and sources when the rules were done, and asked once: games,
#: shells, emulators, filters. Three execute one instruction a call, in no loop of their own.
UNSEEN = (
    ("bc@trixie=1.07.1-4", "bin/bc", "0x6b10"),
    (
        *("darkplaces@trixie=0~20180908~beta1-6", "games/darkplaces"),
        *("0x210dd0", "0x21ae50", "0x224ed0"),
    ),
    ("emacs-nox@trixie=1:30.1+1-6+deb13u1", "bin/emacs-nox", "0x1d5e70"),
    (_GAMES, "gargoyle/advsys", "0x3a2d0"),
    (_GAMES, "gargoyle/agility", "0x66810"),
    (_GAMES, "gargoyle/alan3", "0x43700"),
    (_GAMES, "gargoyle/git", "0x420e0"),
    (_GAMES, "gargoyle/level9", "0x4af00"),
    (_GAMES, "gargoyle/tadsr", "0x20e6f0", "0x123350"),
    ("iconx@trixie=9.5.24b-1", "bin/iconx", "0x28c80"),
    ("ioquake3@trixie=1.36+u20250316.526edd3+dfsg-1", "ioquake3/ioquake3", "0x86f00"),
    ("libdpdk-dev@trixie=24.11.8-0+deb13u1", "librte_bpf.a", "rte_bpf_exec_burst"),
    ("libkf5js5@bookworm=5.103.0-1", "libKF5JS.so.5.103.0", "0x87350"),
    ("liblttng-ust1t64@trixie=2.13.9-1", "liblttng-ust.so.1.0.0", "0x21e50"),
    ("libneko2@trixie=2.4.0-2+b1", "libneko.so.2.4.0", "0xc150"),
    ("mawk@trixie=1.3.4.20250131-1", "bin/mawk", "0x8400"),
    ("pforth@trixie=1:2.0.1-1", "bin/pforth", "0x30c0"),
    ("povray@trixie=1:3.7.0.10-3+b2", "bin/povray", "0x191390"),
    ("quakespasm@trixie=0.96.3+dfsg-1+b1", "games/quakespasm", "0x7c540"),
    ("scheme48@trixie=1.9.2-4", "scheme48vm", "0x12460"),
    ("squeak-vm@bookworm=1:4.10.2.2614+20120917~dfsg-1+b1", "squeakvm", "0x37f10"),
    ("supercollider-language@trixie=1:3.13.0+repack-3", "bin/sclang", "0x87e50"),
    ("tilem@trixie=2.0-5.1", "bin/tilem2", "0x391a0"),
    ("visualboyadvance@trixie=1.8.0.dfsg-6", "VisualBoyAdvance", "0x280f0", "0xd35a0"),
)
#: Judged by source, exported names, jump tables and disassembly, and asked once for certain answers
#: and doubtful ones: languages, filters, regular expressions, fonts, editors, games, processors.
NEWEST = (
    ("basic256@trixie=2.0.99.10-2", "bin/basic256", "0x75220"),
    ("bird2@trixie=2.17.6-0+deb13u1", "sbin/bird", "0x293a0"),
    ("libecl24.5t64@trixie=24.5.10+ds-1+b1", "libecl.so.24.5.10", "0x1d0940"),
    ("libgraphite2-3@trixie=1.3.14-2+deb13u1", "libgraphite2.so.3.2.1", "0x3440"),
    ("libnginx-mod-http-js@trixie=0.8.9-1", "ngx_http_js_module.so", "0x401d0"),
    ("libpoke1@trixie=4.3+dfsg-1", "libpoke.so.1.0.0", "0xbc765"),
    ("libqt5qml5@trixie=5.15.15+dfsg-3", "libQt5Qml.so.5.15.15", "0x1cc1b0"),
    ("libqt6qml6@trixie=6.8.2+dfsg-7", "libQt6Qml.so.6.8.2", "0x28eaf0"),
    (
        "libretro-beetle-psx@sid=0.9.38.6+git20260515+ds-2",
        "mednafen_psx_libretro.so",
        "0x12dd30",
    ),
    (
        *("libretro-beetle-vb@trixie=0.9.36.1+git20160623-2+b2", "mednafen_vb_libretro.so"),
        *("0x103e0", "0x165c0"),
    ),
    (
        "libretro-beetle-wswan@trixie=0.9.35.1+git20160623-2+b2",
        "mednafen_wswan_libretro.so",
        "0x9270",
    ),
    ("libwasmedge0@trixie=0.14.1+dfsg-3.1", "libwasmedge.so.0.1.0", "0x140de0"),
    ("lua-lpeg@trixie=1.1.0-2", "liblua5.4-lpeg.so.2.0.0", "0x3ab0"),
    ("jzip@trixie=210r20001005d-5", "games/jzip", "0x4ec0"),
    ("mit-scheme@trixie=12.1-4", "mit-scheme-x86-64-12.1", "0x47000", "0x55aa0"),
    ("openmsx@trixie=20.0+dfsg-1.2", "bin/openmsx", "0x33c2d0", "0x34c890"),
    ("swi-prolog-core@trixie=9.2.9+dfsg-1+b1", "libswipl.so.9.2.9", "0xdbc00"),
    ("vim@trixie=2:9.1.1230-2+deb13u2", "bin/vim.basic", "0x291df0"),
    ("vkquake@sid=1.37.0+dfsg-1", "games/vkquake", "0xe8910"),
    ("xemacs21-nomule@sid=21.4.24-12+b1", "xemacs-21.4.24-nomule", "0x4521f0", "0x51b6c0"),
    ("zpaq@trixie=7.15+repack-1", "bin/zpaq", "0x2a190"),
)
#: Chosen by name when the rules were done, judged by source, names, tables and texts, and asked
#: once: statistics, searching, games, mail, discs, processors, and languages.
LATER = (
    ("cyrus-common@trixie=3.10.2-1+deb13u2", "libcyrus_sieve.so.0.0.0", "0x9ba0", "0x7650"),
    ("ezquake@trixie=3.6.6-1", "ezquake/ezquake", "0x959c0", "0xc46b0"),
    ("gawk@trixie=1:5.2.1-2+b1", "bin/gawk", "0x4416c0", "0x446f20"),
    (
        *("guile-3.0-libs@trixie=3.0.10+really3.0.10-4", "libguile-3.0.so.1.7.0"),
        *("0xce470", "0xca5d0"),
    ),
    ("janet@sid=1.42.1-1", "bin/janet", "0x52fe0", "0x58a40"),
    ("libbluray2@trixie=1:1.3.4-1+b2", "libbluray.so.2.4.3", "0x2bb70"),
    ("libchibi-scheme0@sid=0.12-3", "libchibi-scheme.so.0.12.0", "0x28480"),
    ("libembryo1@trixie=1.28.1-1", "libembryo.so.1.28.1", "0x54b0"),
    ("libgroonga0t64@trixie=15.0.4+dfsg-2", "libgroonga.so.0.0.0", "0x6da7c0", "0x7415d0"),
    ("libmupen64plus2@trixie=2.6.0-2", "libmupen64plus.so.2.0.0", "0x304e0"),
    ("libqt5script5@trixie=5.15.15+dfsg-2", "libQt5Script.so.5.15.15", "0x8f8b0", "0x43ca0"),
    (
        "libretro-bsnes-mercury-balanced@trixie=094+git20220807-8+b2",
        *("bsnes_mercury_balanced_libretro.so", "0x4a550", "0x4bb70", "0x908a0"),
    ),
    ("libsimavr2@trixie=1.6+dfsg-3+b3", "libsimavr.so.2", "0x158f0"),
    ("ncl-ncarg@trixie=6.6.2.dfsg.1-10+b2", "bin/ncl", "0x220530"),
    ("nim@sid=2.2.12-1", "bin/nim", "0x4ed310"),
    ("pmars@trixie=0.9.4-1", "games/pmars", "0x121ea"),
    ("pspp@trixie=2.0.1-1+b1", "libpspp-2.0.1.so", "0xfbc30"),
    ("qtads@trixie=3.4.0+dfsg-1+b2", "games/qtads", "0x203f80", "0x1172f0", "0x1ff6c0"),
    ("r-base-core@trixie=4.5.0-3", "libR.so", "0x1432a0"),
    ("tf5@trixie=5.0beta8-14", "bin/tf5", "0x160b0"),
)
#: Without an interpreter: compressors, cryptography, images, sound, mathematics, files, and tools.
WITHOUT = (
    *("zlib1g", "liblzma5", "libzstd1", "liblz4-1", "libbz2-1.0", "libbrotli1", "liblzo2-2"),
    *("libssl3t64", "libgcrypt20", "libsodium23", "libnettle8t64", "libhogweed6t64", "libargon2-1"),
    *("libpng16-16t64", "libjpeg62-turbo", "libtiff6", "libwebp7", "libgif7", "libopenjp2-7"),
    *("libflac14", "libopus0", "libvorbis0a", "libogg0", "libmpg123-0t64", "libsndfile1"),
    *("libgmp10", "libmpfr6", "libblas3", "libfftw3-double3", "libpixman-1-0", "libcairo2"),
    *("libexpat1", "libyaml-0-2", "libjson-c5", "libuv1t64", "libdbus-1-3", "libgdbm6t64"),
    *("coreutils", "tar", "gzip", "xz-utils", "bzip2", "zstd", "findutils", "diffutils"),
    *("grep", "rsync", "openssh-client", "wget", "less", "nano", "procps", "e2fsprogs", "cpio"),
)
#: Held out once and seen since: disassemblers, assemblers, a compiler, parsers, decoders, and a
#: shell that walks a tree.
SEEN_WITHOUT = (
    *("libcapstone5", "libbinutils", "tcc", "nasm", "yasm", "libgumbo3", "libcmark0.30.2"),
    *("libdwarf1", "libbpf1", "libprotobuf32t64", "libtidy58", "libxml2", "libvpx9", "libtre5"),
    *("libjim0.83", "dash", "m4", "flex", "bison", "ninja-build", "libexiv2-28", "libisl23"),
)
#: In order of their names, every second one to develop on as above: disassemblers, assemblers,
#: compilers and their generators, parsers, protocols, decoders, and what walks trees of calls.
FURTHER_WITHOUT = (
    *("astyle", "bcc", "byacc", "cc65", "cppcheck", "device-tree-compiler", "gap-core"),
    *("glslang-tools", "gnuplot-nox", "indent", "lemon", "libaom3", "libarchive13t64"),
    *("libaugeas0", "libc6", "libcdr-0.1-1", "libcfitsio10t64", "libcsound64-6.0", "libdisasm0"),
    *("libdistorm3-3", "libfastjson4", "libgc1", "libgvc6", "libhttp-parser2.9"),
    *("libhunspell-1.7-0", "libjbig2dec0", "libllhttp9.2", "liblouis20", "libmcpp0"),
    *("libnftables1", "libnghttp2-14", "libngspice0", "libqalculate23", "libqpdf30"),
    *("libraptor2-0", "librasqal3t64", "libsmi2t64", "libspatialite8t64", "libtree-sitter0.22"),
    *("libudis86-0", "libudunits2-0", "libunbound8", "libvisio-0.1-1", "libvterm0", "libwcs8"),
    *("libwebsockets19t64", "libwpd-0.10-10", "libx264-164", "libyajl2", "libzydis4.1", "musl"),
    *(
        "original-awk",
        "pypi:keystone-engine==0.9.2",
        "ragel",
        "re2c",
        "sdcc",
        "spirv-tools",
        "tcpdump",
    ),
)
#: Of the same day: more of scanners, printers, music, and tables of functions.
LATEST_WITHOUT = (
    *("bash", "busybox-static", "cflow", "cscope", "exuberant-ctags", "git", "gperf"),
    *("iproute2", "libcgraph6", "libconfig11", "libconfig9", "libcurl4t64", "libdav1d7"),
    *("libfluidsynth3", "libglib2.0-0t64", "libglpk40", "libjansson4", "libmagic1t64"),
    *("libmodplug1", "libmsgpack-c2", "libsass1", "libselinux1", "libsystemd0", "libtheora0"),
    *("libtsm4", "libxkbcommon0", "libxslt1.1", "lynx", "mksh", "nginx", "screen", "swig"),
    *("tmux", "yosys"),
)
#: Beside the last interpreters, and as unseen: servers, terminals, parsers, games, music.
UNSEEN_WITHOUT = (
    *("antiword", "apache2-bin", "catdoc", "chrony", "dmidecode", "dnsmasq-base", "dropbear-bin"),
    *("ethtool", "global", "gnuchess", "i3-wm", "iptables", "irssi", "joe", "kbd", "libass9"),
    *("libde265-0", "libevent-2.1-7t64", "libexif12", "libfaad2", "libgnutls30t64"),
    *("libgraphicsmagick-q16-3t64", "libgsl28", "libgsm1", "libheif1", "libical3t64", "libidn12"),
    *("libmariadb3", "libmicrohttpd12t64", "libmp3lame0", "libnfs14", "libopenmpt0t64", "libpq5"),
    *("libraw23t64", "libsdl2-2.0-0", "libsensors5", "libsnmp40t64", "libspeex1", "libssh2-1t64"),
    *("libuchardet0", "libupnp17t64", "libvte-2.91-0", "libwavpack1", "libx11-6", "libxmp4"),
    *("libzip5", "lighttpd", "links", "mandoc", "mosquitto", "mutt", "pciutils", "rxvt-unicode"),
    *(
        "smartmontools",
        "socat",
        "sparse",
        "splint",
        "timidity",
        "uncrustify",
        "w3m",
        "xa65",
        "xterm",
    ),
)
#: Beside the newest, and asked once with them: networks, mail, sound, images, devices, files.
NEWEST_WITHOUT = (
    *("btrfs-progs", "dovecot-core", "gifsicle", "gpg", "gpgv", "htop", "libasound2t64"),
    *("libcups2t64", "libdjvulibre21", "libdrm2", "libfribidi0", "libgeos3.13.1"),
    *("libgphoto2-6t64", "libhdf5-310", "libinput10", "libkrb5-3", "libldap2", "libmpeg2-4"),
    *("libproj25", "libpulse0", "libsamplerate0", "libsane1", "libsasl2-2", "libtag2"),
    *("libx265-215", "ltrace", "newsboat", "nsd", "postfix", "potrace", "proftpd-core", "strace"),
    *("tig", "wpasupplicant", "xfsprogs"),
)
#: Chosen with these, and asked once with them: networks, disks, sound, images, fonts, tools. One
#: was judged wrongly: memcached holds Lua.
LATER_WITHOUT = (
    *("aircrack-ng", "alsa-utils", "avahi-daemon", "bind9-libs", "bluez", "chocolate-doom"),
    *("cryptsetup-bin", "curl", "fdisk", "gpsd", "hostapd", "hping3", "iw", "keepalived"),
    *("libapr1t64", "libapt-pkg7.0", "libavformat61", "libdvdread8t64", "libfontconfig1", "libgd3"),
    *("libhts3t64", "libjxl0.11", "liblcms2-2", "libmtp9t64", "libopenal1", "libpango-1.0-0"),
    *("librdkafka1", "libsoup-3.0-0", "libsox3", "libssh-4", "libzbar0t64", "libzmq5", "lvm2"),
    *("memcached", "ntfs-3g", "openvpn", "parted", "privoxy", "rtorrent", "squid", "sysstat"),
    *("testdisk", "tor", "unzip", "x11vnc"),
)
#: What each part of the tables is called, with what it holds.
PARTS = {
    "tuned": (WITH_SYMBOLS, WITHOUT),
    "seen": (SEEN, SEEN_WITHOUT),
    "developed on": (FURTHER[::2], FURTHER_WITHOUT[::2]),
    "held out": (FURTHER[1::2], FURTHER_WITHOUT[1::2]),
    "latest": (LATEST, LATEST_WITHOUT),
    "unseen": (UNSEEN, UNSEEN_WITHOUT),
    "newest": (NEWEST, NEWEST_WITHOUT),
    "later": (LATER, LATER_WITHOUT),
}
