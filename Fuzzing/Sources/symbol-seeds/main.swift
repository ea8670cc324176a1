// Writes the first inputs of the fuzzer into a folder: tables, Breakpad files, mappings, and heads of programs.
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: symbol-seeds VECTORS FOLDER")
    exit(64)
}
let (vectors, folder) = (URL(filePath: arguments[1]), URL(filePath: arguments[2]))

func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
    try Data(bytes).write(to: folder.appending(path: name))
}

for name in try FileManager.default.contentsOfDirectory(atPath: vectors.path) where name.hasSuffix(".table") {
    try write(name, Data(contentsOf: vectors.appending(path: name)))
}

let module = "MODULE Linux x86_64 C0BCC3F19827FE653058404B2831D9E60 libshop.so\n"
let breakpad =
    module + """
        INFO CODE_ID F1C3BCC0279865FE3058404B2831D9E64135386C libshop.so
        FILE 0 /home/me/shop/cart.cc
        FILE 1 C:\\shop\\list.h
        INLINE_ORIGIN 0 shop::List::push(int)
        FUNC 1000 30 0 shop::Cart::add(shop::Item const&)
        INLINE 0 12 0 0 1010 10 1020 8
        INLINE 1 40 1 0 1018 8
        1000 10 10 0
        1010 8 40 1
        FUNC m 2000 8 0 _ZN4shop4Cart5clearEv
        PUBLIC 1800 0 $s4Shop9CartModelC4loadyyF
        PUBLIC m 3000 0 last one
        STACK CFI INIT 1000 30 .cfa: $rsp 8 +
        STACK WIN 4 5000 100 0 0 0 0 0 0 0 0

        """
try write("breakpad", breakpad.utf8)
let mapping = """
    # compiler: R8
    # pg_map_id: 7f5bbd1
    com.acme.shop.CartModel -> a.b:
    # {"id":"sourceFile","fileName":"CartModel.kt"}
        java.lang.String name -> a
        1:3:void load(int):10:12 -> a
        1:3:void com.acme.shop.Home.open():4:4 -> a
        void clear() -> b

    """
try write("mapping", mapping.utf8)

func bytes(_ number: UInt64, _ size: Int, isBigEndian: Bool = false) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    return isBigEndian ? bytes.reversed() : bytes
}

let machO =
    bytes(0xFEED_FACF, 4) + bytes(0x0100_000C, 4) + bytes(0, 4) + bytes(6, 4) + bytes(2, 4) + bytes(96, 4)
    + bytes(0, 8) + bytes(0x1B, 4) + bytes(24, 4) + (1...16).map { UInt8($0) } + bytes(0x19, 4) + bytes(72, 4)
    + Array("__TEXT".utf8) + [UInt8](repeating: 0, count: 10) + bytes(0x1_0000_0000, 8) + bytes(0x4000, 8)
    + [UInt8](repeating: 0, count: 32)
try write("macho", machO)
for (name, magic, size) in [("universal", UInt64(0xCAFE_BABE), 4), ("universal-64", 0xCAFE_BABF, 8)] {
    let head =
        bytes(magic, 4, isBigEndian: true) + bytes(1, 4, isBigEndian: true)
        + bytes(0x0100_000C, 4, isBigEndian: true) + bytes(0, 4) + bytes(64, size, isBigEndian: true)
        + bytes(UInt64(machO.count), size, isBigEndian: true)
    try write(name, head + [UInt8](repeating: 0, count: 64 - head.count) + machO)
}
let note = bytes(4, 4) + bytes(20, 4) + bytes(3, 4) + Array("GNU\0".utf8) + (1...20).map { UInt8($0) }
let segment =
    bytes(4, 4) + bytes(4, 4) + bytes(120, 8) + bytes(120, 8) + bytes(0, 8) + bytes(UInt64(note.count), 8)
    + bytes(0, 16)
let elf =
    [0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 0, count: 12) + bytes(62, 2) + bytes(1, 4)
    + bytes(0, 8)
    + bytes(64, 8) + bytes(0, 16) + bytes(1, 2) + [UInt8](repeating: 0, count: 6)
try write("elf", elf + segment + note)

// Long inputs, which take longer if any line is read twice.
let inlines = (0..<900).map { "INLINE 0 1 0 0 \(String($0 * 16, radix: 16)) 10\n" }.joined()
let rows = (0..<900).map { "\(String($0 * 16, radix: 16)) 10 \($0) 0\n" }.joined()
try write("long-inlines", (module + "FUNC 0 4000 0 f\n" + inlines + rows).utf8)
try write("long-overlap", (module + String(repeating: "FUNC 0 4000 0 f\n0 4000 1 0\n", count: 1_500)).utf8)
try write(
    "long-publics", (module + (0..<2_000).map { "PUBLIC \(String($0, radix: 16)) 0 f\($0)\n" }.joined()).utf8)
try write(
    "long-mapping", (mapping + String(repeating: "    1:3:void load(int):10:12 -> a\n", count: 1_500)).utf8)
