import LeakMessage
import Testing

@testable import RetainPaths

private final class Part {}
private final class References {
    var strong: Part?
    weak var weakPart: Part?
    unowned var unownedPart: Part?
    unowned(unsafe) var unsafePart: Part?
    var number = 1
    lazy var later = Part()
}
private final class ClosureOwner { var closure: (() -> Void)? }
private indirect enum Tree {
    case leaf
    case node(Tree, Part)
}
private enum Mixed {
    case first(Part)
    case second(Int, Part)
    case third
}

@Suite struct DescriptorLayoutTests {
    @Test func `the fields of a class are read with name, offset and ownership`() {
        let fields = Reflection.fields(of: Metadata(References.self))
        #expect(
            fields.map { TypeLayouts.displayName($0.name) } == [
                "strong", "weakPart", "unownedPart", "unsafePart", "number", "later",
            ])
        #expect(fields.map(\.isStrong) == [true, false, false, false, true, true])
        #expect(fields.map(\.offset) == [16, 24, 32, 40, 48, 56])
        #expect(fields[4].type == Metadata(Int.self))
    }

    @Test func `enum cases are described in the order of their tags`() throws {
        var layouts = TypeLayouts(ImageAddressMap())
        let value = layouts.layout(of: Metadata(Mixed.self))
        let reference = try #require(layouts.referenceFields(in: value.referenceFields).first)
        #expect(reference.kind == .enumeration)
        let cases = layouts.enums[Int(reference.detail)].cases.map { layouts.referenceFields(in: $0) }
        #expect(cases.map(\.count) == [1, 1, 0])
        #expect(layouts.labels.text(cases[0][cases[0].startIndex].label) == "(.first)")
        #expect(layouts.labels.text(cases[1][cases[1].startIndex].label) == "(.second).1")
        #expect(cases[1][cases[1].startIndex].offset == 8)
    }

    @Test func `an indirect case of an enum is one reference`() throws {
        var layouts = TypeLayouts(ImageAddressMap())
        let value = layouts.layout(of: Metadata(Tree.self))
        let reference = try #require(layouts.referenceFields(in: value.referenceFields).first)
        let cases = layouts.enums[Int(reference.detail)].cases.map { layouts.referenceFields(in: $0) }
        #expect(cases[0].map(\.kind) == [.strong])
        #expect(cases[1].isEmpty)
    }

    @Test func `the capture descriptor of a closure context contains the types of its captures`() throws {
        let part = Part()
        var number = Int.random(in: 0...9)
        let owner = ClosureOwner()
        owner.closure = { [weak part] in
            number += 1
            _ = part
        }
        // The object begins with its header of 16 bytes. The closure follows: its function, then its context.
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque())
        let metadata = ImmortalMemory.word(ImmortalMemory.word(address &+ 24))
        #expect(ImmortalMemory.word(metadata) == MetadataLayout.Kind.closureContext)
        let descriptor = try #require(
            CaptureDescriptor(
                ImmortalMemory.word(metadata &+ HeapLayout.Context.captureDescriptor), ImageAddressMap()))
        #expect(descriptor.captureTypes.count == 2)
        #expect(descriptor.captureTypes[0] != nil)
        #expect(ImmortalMemory.uint32(metadata &+ HeapLayout.Context.firstCapture) == 16)
        withExtendedLifetime((owner, part)) {}
    }

    @Test(
        arguments: [
            ("x", 0, 0), ("q_", 0, 1), ("q0_", 0, 2), ("q3_", 0, 5), ("qd__", 1, 0), ("qd_0_", 1, 1),
            ("qd0__", 2, 0),
        ])
    func `generic parameters are read from mangled names`(name: String, depth: Int, index: Int) throws {
        try withName(name) { name in
            let parameter = try #require(name.genericParameter)
            #expect(parameter == MangledName.Parameter(depth: depth, index: index))
        }
    }

    @Test(arguments: [
        ("Si", true, true), ("SaySiG", true, true), ("x", true, true), ("7ElementSTQz", false, true),
        ("Say7ElementSTQzG", false, true), ("5IndexSlQyd__", false, true), ("5IndexSlQy_", false, false),
        ("7Element_5IndexSTSlQZ", false, true), ("xxQp_t", false, false), ("xxQp_QP", false, false),
        ("5IndexSlQy", false, false),
    ])
    func `a member of a generic parameter is resolved only with its argument, and a pack never`(
        name: String, without: Bool, with: Bool
    ) {
        let known = [MangledName.Parameter(depth: 0, index: 0), MangledName.Parameter(depth: 1, index: 0)]
        withName(name) { name in
            #expect(name.canBeResolved(with: []) == without)
            #expect(name.canBeResolved(with: known) == with)
        }
    }

    @Test(arguments: [
        ("yycIegh_", true), ("SSIegr_", true), ("yyIetC_", false), ("yyIeyB_", false), ("yyXC", nil),
    ])
    func `mangled names of closures are distinguished from those of other functions`(
        name: String, isClosure: Bool?
    ) throws {
        withName(name) { name in
            #expect(name.functionShape.map { $0 == .closure } == isClosure)
        }
    }

    @Test(arguments: [
        ("B0", true), ("R1", true), ("G0R0_", true), ("G1G0B2__", true), ("S", false), ("B", false),
        ("", false),
    ])
    func `only valid metadata sources are parsed`(text: String, isValid: Bool) {
        #expect((MetadataSource(Array(text.utf8)) != nil) == isValid)
    }

    private func withName(_ name: String, _ body: (MangledName) throws -> Void) rethrows {
        try unsafe (Array(name.utf8) + [0]).withUnsafeBufferPointer { bytes in
            try body(MangledName(UInt(bitPattern: bytes.baseAddress)))
        }
    }
}
