"""The zig wheels that are known: which clang each holds, and the hashes that PyPI published."""

from __future__ import annotations

from whyfast.toolchain.wheels import Wheel

#: By the name that a study uses: the version of clang inside, and the wheel.
WHEELS: dict[str, tuple[str, Wheel]] = {
    "clang-18": (
        "18.1.6",
        Wheel(
            "ziglang",
            "0.13.0",
            (
                "36e797eebe1c75e978fb14c4ca5a42f9350cdda1850c173c036573bc480e37e8",
                "3ce0c9f16547e5d61b32e0d226926e9a2552ef4b91fccf7ab5ea1a623a77824b",
                "5408ad3a6cb342fb4e4e2351a3725adfcae82eaadebe85fdbbdad9c0ac8b1e24",
                "5714a4d46f9246ba6180a0930e23df2bc8bc26e62b5fe0dc798b4afca1903308",
                "64458dbe4f8c09ae3f99897d5bf2ac343be5366079dce383e286832f17747e94",
                "b64b2aa936ebbfeecfbb2611df331a5474edebe1246b98c2f56d6ae4d58b71fc",
                "d1b00173b8a5bfbaccb255240b8c091bd523c13743178bc248355ec6484fced7",
                "d7feb1b8cd09e17a24a2218e5b4a1ff7463390cf653e9dbaf54d5f2e4c55c3e5",
            ),
        ),
    ),
    "clang-19": (
        "19.1.7",
        Wheel(
            "ziglang",
            "0.14.1",
            (
                "2c9dbee405ad83a062df3569949f24b59e938c1b85aa26674e30b515e654fef4",
                "3d68104704f850c52e2baec1e12caf58e097e954a40880b247da8fb4fa500550",
                "479a36e94a9da3fc1fad01951de35600c3d11642182fe36c2aeeb031ceab7a89",
                "6eb9d4d759b292c83810dbee2e9e8e3fbfbf01d864e6e9811bae711fd74e1c2f",
                "75f879ea9678eeba5fe7909a4cf4e67324eb761d68f416a72d5c3a130361d9fa",
                "7994b27f3cbfcedea43f9b7552e38b45857bdf0e9a45065474092dd74e7048cf",
                "7b880229c41e822c0388318de89dffe034a146ce44a7342b7e74b167329a67b9",
                "ad2c7c3a77cff522971fc303da2b656c4ed675fe17cdf5ff74ba7e1b594a4780",
                "e4f7e089a44d5ce34181853a90cdb8456e63c6640f5d44b844a117055326c375",
                "eae7d46746b8e80a4d1a8369b09f7a6aace973ee39207b1b63cfb6bb086e84dc",
                "f566222095390406ededf87bff1aa3df00eaf7d9ddc2ddd182b214f1c16f2904",
                "f9e13d3e3778a850acf20115b0193a9ae0569c5ca2f71c8e690c4110746b6993",
            ),
        ),
    ),
    "clang-20": (
        "20.1.2",
        Wheel(
            "ziglang",
            "0.15.2",
            (
                "04eb9c4135ef431487b920c73312cd3a5e754019839024eeed3521772d1585a2",
                "47af4f85e3e59bd672126cc026d3a01b516cad24b9a9ea075abfe8532f4c6bc1",
                "806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130",
                "85faefbd4cfe420de92aaa8f8300bec2b9afe8d1f1d8c5abf71bf92754682536",
                "978ebcc3c6c9624cbc999dd8dcb65427e7474650d9709a889aace8e325705ce2",
                "a81ebfc61e1b7aa43a33add23f93b98954d757434f894eb21bd40b176b6688aa",
                "acae2a9ce67ed249ad68d42c21bc73b5f9d51a33ba5ea42f609f78683e8d9bb7",
                "ad43a4692311512ab55cc918596c814ff44fb811b1299fa9a57cc4e2bf315c6b",
                "b174f7ebb9d1f2210d32d1420333120f6117ebee3de8b3e221e6ebb0c3beec4b",
                "ca80dc9c70dbdfdd9ee51d000de3501a95d33d9782ab9ab9b56f700484ebcd83",
                "d3fe40825e18238e986b305cbf3a4d93a50461b893339e31c81b0d6c73f33937",
                "edc0aa60ec964a4cf462d40f68d7de242ddf37fd9a80f2afaee6397059463230",
            ),
        ),
    ),
    "clang-21": (
        "21.1.0",
        Wheel(
            "ziglang",
            "0.16.0",
            (
                "089a16a4eb5a2f45151993342f8fabad24ff1a0723dc146642895c29208a3939",
                "0fd671c599f6961638cc302cf1f9461486696385311d4c0276171dcf7d2b67f5",
                "18e14f6b25678d7b7c65708c82501ee6090fe39ed5c783477d56267af1fa5629",
                "7249779f0f916cfd2d1a9d54eb7600f3901384dc8dcbe1eea226bd32a8237fb5",
                "8b83661247430aa335b3cbc29569084900412dde5633b02c80a6d2ff734de3d2",
                "9fcda73f62b851dd72a54b710ad40a209896db14cfb13649e62191243556342b",
                "b61e5413c49508d9d62e5dcea543e3af491594154d74a00ff52f84ed508260cc",
                "d4bd8197344fffe276e1d6446e4ef7bc38637d821b4685fe96a936503d4b0619",
                "df0e6599e41d087c912b0d3d7cedef6c9cb1f0032465c8fc820e9986772d11e4",
                "e27d409812b11e0fb89ed0200cf2e55b6464d43f9461553104e4a4f9a94a1fd5",
                "e44a5271f7b72f7980017bb615823ed52e765f96b6482d93a2fd338cd53101bf",
                "f978c12b5337cf418034964de00023b7ec5ec484383dc97c6a6585f4a9105840",
            ),
        ),
    ),
    "clang-22": (
        "22.1.8",
        Wheel(
            "ziglang",
            "0.17.0",
            (
                "2f1506fbd4080ae55c7f3c5abe99cce226e563827f50e8f143e36decc615310f",
                "4d910f0e363ddb60a6b8ddb55235617797a8ccbcb6c5c7132a949d9f833eea42",
                "81e3057db80fb459d1ab13c3db13dbcb1e99e91c36281661831d1916eba924de",
                "87274af689c4128051b26c80f6f676757e0a81c2fdc137fd8b5679e928e4bc4f",
                "97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b",
                "d2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3",
            ),
        ),
    ),
}
