import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Frames that name an image and an offset, and the functions that symbols give them.
@Suite struct ImageOffsetTests {
    private static let id = "6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00"

    @Test(arguments: [
        ("/private/var/containers/Bundle/Application/X/Shop.app/Shop", "0x41b9 in Shop (\(id))"),
        ("/home/jane/Shop", "0x41b9 in Shop (\(id))"),
        ("/usr/lib/libc.so.6", "0x41b9 in /usr/lib/libc.so.6 (\(id))"),
        (
            "/System/Library/Frameworks/UIKit.framework/UIKit",
            "0x41b9 in /System/Library/Frameworks/UIKit.framework/UIKit (\(id))"
        ),
        ("a (b)", "0x41b9 in a _b) (\(id))"),
    ])
    func `the text of a frame has the whole path only for a system library`(path: String, element: String)
        throws
    {
        #expect(ImageOffset.element(offset: 0x41B9, path: path, imageID: Self.id) == element)
        let frame = try #require(CallFrame(element))
        #expect(frame.offset == 0x41B9 && frame.imageID == Self.id && frame.function == nil)
        #expect(frame.isSystem == (path.hasPrefix("/usr") || path.hasPrefix("/System")))
    }

    @Test func `the text of a frame stays within its maximum of bytes`() {
        let long = ImageOffset.element(
            offset: .max, path: "/usr/lib/" + String(repeating: "é", count: 900),
            imageID: String(repeating: "👩‍👩‍👧", count: 900))
        #expect(long.utf8.count <= WireLimits.elementBytes)
    }

    @Test(arguments: [
        "0x41b9 in ", "0x in Shop", "0x41b9 on Shop", "0x41b9 in (\(id))",
    ])
    func `malformed texts are not read as image offsets`(text: String) { #expect(CallFrame(text) == nil) }

    @Test func `parentheses that contain no image id belong to the name of the image`() {
        for name in ["Shop (xyz)", "Shop (12)"] {
            #expect(CallFrame("0x41b9 in /srv/\(name)")?.module == name)
        }
    }

    @Test func `a number from 4 GiB on is an address in an image, without an offset`() {
        let frame = CallFrame("0x100000000 in Shop")
        #expect(frame?.module == "Shop" && frame?.offset == nil)
    }

    // MARK: Names

    private static let stack = [
        "0x10 in Shop (\(id))", "0x20 in Shop (\(id))", "0x30 in libc.so.6 (00112233445566778899)",
    ]

    /// Returns two functions at offset 0x10, where one is inlined into the other, one function at the byte before 0x20, and no
    /// function for other offsets.
    private static func symbols(_ image: String, _ location: CodeLocation) -> [SymbolicatedFrame] {
        guard image == id, case .offset(let offset) = location else { return [] }
        switch offset {
        case 0x10:
            return [
                SymbolicatedFrame(function: "add(_:)", file: "Cart.swift", line: 3),
                SymbolicatedFrame(function: "load()"),
            ]
        case 0x1F: return [SymbolicatedFrame(function: "closure #1 in run()", file: "main.swift", line: 9)]
        default: return []
        }
    }

    /// Tables of Breakpad files that were uploaded to earlier versions contain names with argument types.
    @Test func `a C++ function from symbols loses its argument types and its lambda`() {
        let named = CallStack(Self.stack)?.named { _, _ in
            [SymbolicatedFrame(function: "shop::Cart::add(int)::{lambda()#1}::operator()() const")]
        }
        #expect(named?.keyElements == ["at shop::Cart::add() in Shop"])
    }

    @Test func `frames get function names from symbols; a return address is looked up at the byte before it`()
        throws
    {
        let stack = try #require(CallStack(Self.stack)).named(by: Self.symbols)
        #expect(
            stack.displayedElements == [
                "at add(_:) in Shop (Cart.swift:3)", "at load() in Shop",
                "at closure #1 in run() in Shop (main.swift:9)", "at libc.so.6 + 0x30",
            ])
        #expect(stack.keyElements == ["at add(_:) in Shop", "at load() in Shop", "at run() in Shop"])
        #expect(stack.imageIDsOfUnnamedFunctions == ["00112233445566778899"])
    }

    @Test func `frames stay unchanged if there are no symbols for them`() throws {
        let stack = try #require(CallStack(Self.stack))
        #expect(stack.named { _, _ in [] } == stack)
        #expect(stack.keyElements == ["at \(Self.id) + 0x10", "at \(Self.id) + 0x20"])
        #expect(CallStack.imageIDs(ofUnnamedFunctionsIn: stack.displayedElements) == [Self.id])
        #expect(CallStack.hasOnlyOffsets(stack.keyElements))
        #expect(!CallStack.hasOnlyOffsets(["at load() in Shop"]) && !CallStack.hasOnlyOffsets([]))
    }

    @Test func `a stack with inlined functions has at most as many frames as the wire format allows`() throws
    {
        let elements = (0..<128).map { _ in "0x10 in Shop (\(Self.id))" }
        let stack = try #require(CallStack(elements)).named { _, _ in
            (0..<32).map { SymbolicatedFrame(function: "f\($0)") }
        }
        #expect(stack.frames.count == WireLimits.stackCount)
    }

    @Test func `control characters and addresses are removed from function names of symbols`() throws {
        let stack = try #require(CallStack(["0x10 in Shop (\(Self.id))"])).named { _, _ in
            [SymbolicatedFrame(function: "load\u{1F}() 0x1234")]
        }
        #expect(stack.keyElements == ["at load() 0x in Shop"])
    }

    @Test(arguments: [
        ("$s4Shop9CartModelC4loadyyF", "$s4Shop9CartModelC4loadyyF"), ("_ZN4Cart3addEi", "Cart::add()"),
        ("-[Cart add:]", "-[Cart add:]"), ("main", "main"),
    ])
    func `C++ names from symbols are demangled, and names that the Swift demangler does not know stay`(
        symbol: String, name: String
    ) {
        #expect(CallFrame.functionName(of: symbol) { _ in nil } == name)
    }
}
